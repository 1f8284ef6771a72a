"""From a job to a running program, or the plain reason why there is none."""

import contextlib
import errno
import os
import subprocess
from typing import Final

from evalci.process.child import Child, Pipes
from evalci.process.finished import NotStarted
from evalci.process.gate import OPENING, check_program, plan, set_limits
from evalci.process.job import Job
from evalci.process.leftovers import HOUSEHOLD, SEES_ALL
from evalci.process.workplace import Workplace, prepare
from evalci.wording import quoted

_REASONS: Final = {
    errno.ENOENT: "there is no such program",
    errno.EACCES: "it may not be executed",
    errno.ENOEXEC: "it is neither a program of this system nor a script with a #! line",
    errno.E2BIG: "its arguments and environment are too long",
}


def start(job: Job) -> Child:
    """The running program, its limits already in force. Raises NotStarted."""
    try:
        workplace = prepare(job)
    except OSError as error:
        raise _not_started(job, f"no temporary folder can be made: {error.strerror}") from error
    try:
        return _start_in(workplace, job)
    except BaseException:
        workplace.remove()
        raise


def _start_in(workplace: Workplace, job: Job) -> Child:
    if any("\0" in word for word in job.argv):
        raise _not_started(job, "an argument holds a NUL character")
    how = plan(job)
    if how.argv != job.argv and (wrong := check_program(job.argv[0], workplace)):
        raise _not_started(job, wrong)
    with HOUSEHOLD.starting() as mark:
        process, pipes = _spawn(how.argv, job, workplace)
        HOUSEHOLD.adopt(process.pid, mark)
    child = Child(process=process, pipes=pipes, workplace=workplace, notes=list(how.notes))
    if not SEES_ALL or mark is None:
        child.notes.append("processes that leave the program's session are not found on this system")
    if how.gated:
        try:
            child.cage, notes = set_limits(child.pid, job.limits)
            child.notes += notes
            HOUSEHOLD.fasten(child.pid)
            os.write(pipes.stdin, OPENING)
        except BaseException:
            child.end_now()
            raise
    return child


def _spawn(argv: tuple[str, ...], job: Job, workplace: Workplace) -> "tuple[subprocess.Popen[bytes], Pipes]":
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        try:
            stdin, stdout, stderr = (_pipe(ours, theirs, mine) for mine in (1, 0, 0))
            process = subprocess.Popen(
                argv,
                stdin=stdin[0],
                stdout=stdout[1],
                stderr=stderr[1],
                cwd=workplace.cwd,
                env=workplace.environment,
                start_new_session=True,
            )
        except OSError as error:
            raise _not_started(job, _reason(error, workplace)) from error
        except ValueError as error:  # characters that no argument or variable can hold
            raise _not_started(job, str(error)) from error
        ours.pop_all()
        return process, Pipes(stdin=stdin[1], stdout=stdout[0], stderr=stderr[0])


def _pipe(ours: contextlib.ExitStack, theirs: contextlib.ExitStack, mine: int) -> tuple[int, int]:
    """A pipe of which one end is ours, and never blocks."""
    pipe = os.pipe()
    ours.callback(os.close, pipe[mine])
    theirs.callback(os.close, pipe[1 - mine])
    os.set_blocking(pipe[mine], False)
    return pipe


def _reason(error: OSError, workplace: Workplace) -> str:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES) and error.filename == workplace.cwd:
        return f"the folder {quoted(workplace.cwd)} cannot be entered"
    return _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()


def _not_started(job: Job, why: str) -> NotStarted:
    return NotStarted(f"cannot start {quoted(job.argv[0])}: {why}")
