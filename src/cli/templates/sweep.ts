/** A grid of parameters, a job for each point, and the best of them. */
export const SWEEP = `# A sweep: one job for each combination of the parameters, then the best.
#
#   holdfast plan FILE     the jobs that it becomes
#   holdfast run FILE      run it; -j 4 runs four at a time

name: sweep
shell: strict

variables:
  results: output/sweep

# Every job may be tried twice more.
retry_defaults:
  max_retries_failure: 2
  initial_delay: 1

jobs:
  # fit_1_0.1, fit_1_0.2 and so on: 3 times 2 jobs.
  - name: fit_{depth}_{rate}
    command: |
      mkdir -p \${variables.results}
      score=$(awk "BEGIN { print {depth} * {rate} }")
      echo "$score depth {depth} rate {rate}" \\
        > \${variables.results}/fit_{depth}_{rate}.txt
    parameters:
      depth: "1:3"
      rate: "[0.1, 0.2]"

  - name: best
    depends_on_regexes: ["fit_.*"]
    command: sort -rn \${variables.results}/fit_*.txt | head -1
`;
