# A genome of 2,000 letters, and 40 reads of each of 20 samples. Always the same ones.
mkdir -p reads
awk 'BEGIN {
  srand(7)
  for (i = 1; i <= 2000; i++) genome = genome substr("ACGT", int(rand() * 4) + 1, 1)
  print genome > "genome.txt"
  for (sample = 1; sample <= 20; sample++) {
    for (read = 1; read <= 40; read++) {
      place = int(rand() * 200) * 10 + 1
      print substr(genome, place, 12) > sprintf("reads/S%02d.txt", sample)
    }
  }
}'
