/** Steps that prepare, check and build, with a repair when a check fails. */
export const CI = `# Steps of a check: prepare, lint, test, build. A step that fails is repaired or
# repeated.
#
#   holdfast simulate FILE --outcome test=1,0     if a test fails
#   holdfast run FILE                             run it

name: ci
shell: strict
version: "2.0"

steps:
  prepare:
    exec: |
      mkdir -p output/ci
      echo "int main() { return 0; }" > output/ci/main.c

  # Fails at first, because nothing has formatted the file. \`format\` repairs it,
  # and lint is repeated.
  lint:
    exec: |
      if [ ! -e output/ci/formatted ]; then
        echo "main.c is not formatted" >&2
        exit 1
      fi
    on_fail:
      run: [format]
      retry: { max: 1 }

  # Tests that depend on the network fail now and then: twice more, a second
  # apart.
  test:
    exec: grep -q main output/ci/main.c
    on_fail:
      retry: { max: 2, backoff: { delay_ms: 1000 } }

  build:
    exec: cp output/ci/main.c output/ci/release.c && echo built

  # Runs only when a route calls it.
  format:
    exec: touch output/ci/formatted
`;
