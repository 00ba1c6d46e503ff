# A job that fails twice and is tried again until it succeeds. Start a server first:
#
#   holdfast serve --with-worker
#
# then, with HOLDFAST_SERVER (and HOLDFAST_TOKEN) where it is not on this machine:
#
#   PYTHONPATH=clients/python python3 clients/python/examples/flaky_job.py
from holdfast import Client

client = Client()

job = client.submit(
    'echo "attempt $HOLDFAST_ATTEMPT_ID"; [ "$HOLDFAST_ATTEMPT_ID" -ge 3 ]',
    name="flaky-job",
    cpus=1,
    memory="512m",
    retry={"max_retries_failure": 5, "initial_retry_delay_ms": 50},
)

for line in client.logs(job):
    print(line)

ended = client.wait(job, timeout=60)
print(f"{ended['status']} after {ended['failure_count'] + 1} attempts")

# A whole workflow: two jobs, one after the other.
workflow = client.submit_workflow(
    {
        "name": "pair",
        "jobs": [
            {"name": "first", "command": "echo one"},
            {"name": "second", "command": "echo two", "depends_on": ["first"]},
        ],
    }
)
status = client.wait_for_workflow(workflow["id"], timeout=60)
print(f"workflow {workflow['name']} would exit with {status['exit_code']}")
