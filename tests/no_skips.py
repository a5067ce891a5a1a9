"""A pytest plugin for CI, `-p tests.no_skips`: a run in which a test was skipped, or expected to fail, has failed."""

from __future__ import annotations

import pytest

_left_out: list[str] = []


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped or hasattr(report, "wasxfail"):
        _left_out.append(f"{report.nodeid}: {'xfail' if hasattr(report, 'wasxfail') else 'skipped'}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _left_out and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _left_out:
        terminalreporter.section("every test must run here (tests.no_skips)", red=True)
        terminalreporter.line("\n".join(sorted(set(_left_out))))
