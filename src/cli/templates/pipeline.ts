/** Dependencies, a small sweep, a retry that recovers, and files. */
export const PIPELINE = `# A Holdfast workflow.
#
#   holdfast plan FILE     in which order its jobs run, and why
#   holdfast run FILE      run it
#   holdfast schema        every key, as a JSON Schema for your editor

name: starter

# A command fails as soon as a part of it does, also in a pipe or in the middle
# of several lines.
shell: strict

# Files that jobs write and read. A job that reads one runs after the job that
# writes it.
files:
  - name: numbers
    path: output/numbers.txt
  - name: report
    path: output/report.txt

jobs:
  - name: prepare
    command: |
      mkdir -p output
      seq 1 100 > \${files.output.numbers}

  # A sweep: this becomes square_1, square_2 and square_3, which run at the same
  # time.
  - name: square_{i}
    command: echo "{i} squared is $(({i} * {i}))"
    depends_on: [prepare]
    parameters:
      i: "1:3"

  # Fails the first time, as things on networks do, and is tried again after one
  # second. \`holdfast explain flaky\` says why.
  - name: flaky
    depends_on: [prepare]
    command: |
      if [ "$HOLDFAST_ATTEMPT_ID" -lt 2 ]; then
        echo "connection reset by peer" >&2
        exit 1
      fi
      echo "the second attempt worked"
    retry:
      max_retries_failure: 3
      initial_delay: 1

  # Waits for the squares by pattern, for flaky by name, and for prepare because
  # of the file.
  - name: report
    depends_on: [flaky]
    depends_on_regexes: ["square_.*"]
    timeout: 1m
    command: |
      echo "$(wc -l < \${files.input.numbers}) numbers" > \${files.output.report}
      cat \${files.output.report}
`;
