/** A total that is delivered in rounds, whatever some of the jobs do. */
export const REQUEST = `# A request: so much work, in rounds of units, until all of it is delivered.
#
#   holdfast simulate FILE         how the rounds would go
#   holdfast run FILE              run it
#   holdfast explain numbers       where it is, and why

kind: request
name: numbers
shell: strict
description: The squares of the numbers up to 100

# Jobs of 10 numbers each, two jobs a unit; a first round of one unit shows
# whether it works at all.
work: { range: { total: 100, per_job: 10 } }
jobs_per_unit: 2
round: { first_units: 1, units: 4 }

process:
  command: |
    seq {first} {last} | awk '{ print $1, $1 * $1 }' > {output}

merge:
  command: cat {inputs} > {output}

outputs: "output/numbers/{unit}.txt"
`;
