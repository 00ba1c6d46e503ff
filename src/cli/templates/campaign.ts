/** Simulations with a rule for each kind of failure, merged at the end. */
export const CAMPAIGN = `# A campaign: many simulations, a rule for each way in which they fail, and a
# merge of the results.
#
#   holdfast run FILE              run it
#   holdfast failures              what failed, grouped by how it looks
#   holdfast explain simulate_2    which rule decided

name: campaign
shell: strict

failure_handlers:
  - name: known
    rules:
      - exit_codes: [75] # a licence is busy: wait, and try again
        max_retries: 5
        delay: 1s
      - exit_codes: [2] # wrong usage: trying again cannot help
        verdict: fail

jobs:
  - name: simulate_{seed}
    failure_handler: known
    timeout: 1m
    command: |
      if [ {seed} -eq 2 ] && [ "$HOLDFAST_ATTEMPT_ID" -lt 2 ]; then
        echo "the licence server is busy" >&2
        exit 75
      fi
      mkdir -p output/campaign
      echo $(({seed} * 7 % 5)) > output/campaign/{seed}.txt
    parameters:
      seed: "1:8"

  - name: merge
    depends_on_regexes: ["simulate_.*"]
    command: cat output/campaign/*.txt | sort -n | uniq -c
`;
