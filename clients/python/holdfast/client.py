"""A client that submits jobs to a Holdfast server, waits for them and reads their logs."""

import getpass
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Dict, Iterator, List, Optional, TypeVar, Union
from urllib.parse import quote, urlencode

from .api import Api, JobDetails, Workflow, WorkflowStatus

DEFAULT_SERVER = "http://127.0.0.1:7600"

# Nothing more happens to a job in one of these without a person or another program.
ENDED = frozenset(["completed", "failed", "canceled", "terminated", "disabled", "pending_failed"])

# How long the server keeps a request for changes open.
CHANGES_MS = 20_000

LOG_BYTES = 256 * 1024

T = TypeVar("T")


class HoldfastError(Exception):
    """The server refused a request, or could not be reached."""

    def __init__(self, code: str, message: str, hint: str = "", status: Optional[int] = None) -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code
        self.message = message
        self.hint = hint
        # The HTTP status; None if there was no answer.
        self.status = status


class Client(Api):
    """
    Every operation of the API is a method; `submit`, `wait` and `logs` are made of them.

    `server` and `token` default to HOLDFAST_SERVER and HOLDFAST_TOKEN. `reconnect_timeout` is how many seconds `wait` and
    `logs` keep trying while the server cannot be reached.
    """

    def __init__(
        self,
        server: Optional[str] = None,
        token: Optional[str] = None,
        *,
        timeout: float = 60.0,
        reconnect_timeout: float = 600.0,
    ) -> None:
        self.server = (server or os.environ.get("HOLDFAST_SERVER") or DEFAULT_SERVER).rstrip("/")
        self.timeout = timeout
        self.reconnect_timeout = reconnect_timeout
        self._token = token or os.environ.get("HOLDFAST_TOKEN")

    def submit(
        self,
        command: str,
        *,
        name: str = "job",
        cpus: Optional[float] = None,
        memory: Optional[str] = None,
        gpus: Optional[int] = None,
        runtime: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        retry: Optional[Dict[str, Any]] = None,
        labels: Optional[List[str]] = None,
        cwd: str = ".",
        idempotency_key: Optional[str] = None,
    ) -> int:
        """Has a worker run a command, as a workflow of one job. Returns the number of the job."""
        requirements = {"num_cpus": cpus, "memory": memory, "num_gpus": gpus, "runtime": runtime}
        job = {
            "name": name,
            "command": command,
            "resource_requirements": _given(requirements) or None,
            "env": env,
            "retry": retry,
            "labels": labels,
        }
        spec = {"name": name, "jobs": [_given(job)]}
        workflow = self.submit_workflow(spec, cwd=cwd, idempotency_key=idempotency_key)
        return self.list_jobs(workflow["id"], limit=1)["items"][0]["id"]

    def submit_workflow(
        self,
        spec: Union[str, Dict[str, Any]],
        *,
        cwd: str = ".",
        output_dir: str = "output",
        idempotency_key: Optional[str] = None,
    ) -> Workflow:
        """Submits a spec: the text of one in YAML or JSON, or a dictionary."""
        body: Any = {"spec": spec, "cwd": cwd, "output_dir": output_dir}
        return self.create_workflow(body, idempotency_key=idempotency_key)

    def wait(self, job_id: int, timeout: Optional[float] = None) -> JobDetails:
        """Waits until the job has ended or waits for a decision. After `timeout` seconds, TimeoutError."""

        def look() -> Optional[JobDetails]:
            job = self.find_job(job_id)
            return job if job["status"] in ENDED else None

        return self._until(f"job {job_id}", look, timeout)

    def wait_for_workflow(self, workflow_id: int, timeout: Optional[float] = None) -> WorkflowStatus:
        """As `wait`, for all jobs of a workflow; `exit_code` is what `holdfast run` would exit with."""

        def look() -> Optional[WorkflowStatus]:
            status = self.status(workflow_id)
            return status if status["exit_code"] is not None else None

        return self._until(f"workflow {workflow_id}", look, timeout)

    def logs(self, job_id: int, *, stream: str = "stdout", follow: bool = True) -> Iterator[str]:
        """
        Lines of what the job wrote in this run, over all its attempts. With `follow`, until the job has ended or waits for a
        decision.
        """
        done = 0
        while True:
            job = self._patiently(lambda: self.find_job(job_id))
            attempts = self._patiently(
                lambda: self.list_attempts(job["workflow_id"], job=job_id, run_id=job["run_id"], limit=1000)
            )["items"]
            waiting = [each for each in attempts if each["attempt_id"] > done]
            if waiting:
                done = waiting[0]["attempt_id"]
                yield from self._attempt_lines(job, done, stream, follow)
            elif not follow or job["status"] in ENDED:
                return
            else:
                self._next_change(None)

    def request(
        self,
        method: str,
        path: str,
        query: Dict[str, Any],
        body: Any = None,
        headers: Optional[Dict[str, Optional[str]]] = None,
    ) -> Any:
        data = self._open(method, path, query, body, headers)[0]
        return json.loads(data) if data else None

    def _open(
        self,
        method: str,
        path: str,
        query: Dict[str, Any],
        body: Any = None,
        headers: Optional[Dict[str, Optional[str]]] = None,
    ) -> Any:
        words = {key: _query_text(value) for key, value in query.items() if value is not None}
        url = f"{self.server}{path}{'?' + urlencode(words) if words else ''}"
        sent = {key: value for key, value in (headers or {}).items() if value is not None}
        sent["Accept"] = "application/json"
        if self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        elif method != "GET":
            sent["Holdfast-Actor"] = quote(_user())
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        asked = urllib.request.Request(url, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=self.timeout) as answer:
                return answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise HoldfastError(
                "SERVER_UNREACHABLE", f"cannot reach {self.server}: {reason}", "is `holdfast serve` running there?"
            ) from error

    def _attempt_lines(self, job: JobDetails, attempt_id: int, stream: str, follow: bool) -> Iterator[str]:
        path = f"/api/v1/workflows/{job['workflow_id']}/jobs/{job['id']}/logs/{stream}"
        offset, rest = 0, b""
        while True:
            query = {
                "run_id": job["run_id"],
                "attempt_id": attempt_id,
                "offset": offset,
                "limit": LOG_BYTES,
                "live": follow or None,
            }
            try:
                data, headers = self._patiently(lambda: self._open("GET", path, query))
            except HoldfastError as error:
                # An attempt that was never started has no log.
                if error.code == "NO_LOG":
                    return
                raise
            if data:
                offset = int(headers.get("Holdfast-Log-Offset", offset)) + len(data)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    yield line.decode(errors="replace")
                continue
            if not follow or headers.get("Holdfast-Log-Ended") == "true":
                break
            self._next_change(None)
        if rest:
            yield rest.decode(errors="replace")

    def _until(self, what: str, look: Callable[[], Optional[T]], timeout: Optional[float]) -> T:
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            found = self._patiently(look, end)
            if found is not None:
                return found
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"{what} has not ended after {timeout} seconds; it continues")
            self._next_change(end)

    _version: Optional[str] = None

    def _next_change(self, end: Optional[float]) -> None:
        left = CHANGES_MS if end is None else max(0, min(CHANGES_MS, int((end - time.monotonic()) * 1000)))
        changes = self._patiently(lambda: self.changes(since=self._version, timeout_ms=left), end)
        if changes is not None:
            self._version = changes["version"]

    def _patiently(self, ask: Callable[[], T], end: Optional[float] = None) -> T:
        """Asks again while the server cannot be reached or is busy."""
        started = time.monotonic()
        while True:
            try:
                return ask()
            except HoldfastError as error:
                now = time.monotonic()
                is_outage = error.status is None or error.status in (502, 503, 504)
                is_over = now - started >= self.reconnect_timeout or (end is not None and now >= end)
                if not is_outage or is_over:
                    raise
            time.sleep(min(1.0, self.reconnect_timeout))


def _given(values: Dict[str, Any]) -> Dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _refusal(error: urllib.error.HTTPError) -> HoldfastError:
    with error:
        text = error.read().decode(errors="replace")
    try:
        found = json.loads(text)["error"]
        fields = "; ".join(f"{each['path']}: {each['message']}" for each in found.get("fields", []))
        message = f"{found['message']}: {fields}" if fields else found["message"]
        return HoldfastError(found["code"], message, found["hint"], error.code)
    except (ValueError, KeyError, TypeError):
        return HoldfastError("BUG", f"the server answered {error.code}: {text[:200]}", "", error.code)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "python"
