"""Records what an agent, or any program, does: `with log.action("tool.call", {"tool": name}): …`. No dependencies; copy the file."""
import contextlib, contextvars, json, subprocess, threading

_cause = contextvars.ContextVar("cause", default=None)


class ActionLog:
    """Writes lines for the model `patched` to `action-log record`, and reads an answer to each. `refused` has the refusals."""

    def __init__(self, path, actor=None, command=("action-log", "record", "patched"), **options):
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self.process = subprocess.Popen([*command, path, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.actor, self.refused, self.lock = actor, [], threading.Lock()

    def record(self, type, data=None, **effect):
        """Records an action and returns its revision; None if it is refused. An effect is patch=, merge= or state=."""
        meta = {key: value for key, value in (("actor", self.actor), ("cause", _cause.get())) if value is not None}
        line = json.dumps({"type": type, "data": data or {}, **effect, "meta": meta}, default=str, allow_nan=False)
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("action-log has ended; its messages are on standard error")
        answer = json.loads(answer)
        if "seq" not in answer:
            self.refused.append(answer)
        return answer.get("seq")

    @contextlib.contextmanager
    def action(self, type, data=None, **effect):
        """Records an action, then those of the block with it as their cause, and last how the block ended."""
        token = _cause.set(self.record(type, data, **effect))
        try:
            outcome = {}
            yield outcome
            self.record(f"{type}.done", outcome)
        except BaseException as error:
            self.record(f"{type}.failed", {"error": f"{error.__class__.__name__}: {error}"})
            raise
        finally:
            _cause.reset(token)

    def close(self):
        """Ends the recording. The log is complete when this returns."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
