/** Failures without a rule wait for a person or an AI agent to decide. */
export const AGENTS = `# A failure that no rule knows waits for a decision, by a person or an AI agent.
#
#   touch storage-down && holdfast run FILE     fetch waits: exit code 3
#   holdfast resolve ID                         decide on the terminal, or
#   holdfast recover ID --ai-recovery           an agent decides
#   holdfast run ID                             resume

name: agents
shell: strict
use_pending_failed: true

jobs:
  - name: fetch
    command: |
      if [ -e storage-down ]; then
        echo "connection refused by storage-a" >&2
        exit 1
      fi
      mkdir -p output && date > output/data.txt

  - name: analyse
    depends_on: [fetch]
    command: wc -c < output/data.txt
`;
