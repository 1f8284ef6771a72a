"""The sticky comment: found, created, updated, left alone, and never lost, whatever the host and the other jobs do."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.ci.failures import Kind
from evalci.ci.retry import Patience
from evalci.ci.sticky import publish
from evalci.ci.sticky_body import Section, StickyBody, cleaned, comment_key, parse
from evalci.ci.sticky_join import Knowledge, Seen, fitted
from evalci.ci.sticky_offer import Did, Offer, Outcome, Rules

from .clients import Connected, connected
from .fake_github import FakeGitHub

SHA, OLD_SHA = "a" * 40, "0" * 40
KEY = comment_key("evals.yaml")
BOT = "github-actions[bot]"
EAGER = Patience(call_seconds=0.25, write_gap=0.0)


@pytest.fixture
def pull(fake: FakeGitHub) -> FakeGitHub:
    fake.add_pull(7, head_sha=SHA)
    return fake


def offer(
    section: str = "", *texts: str, sha: str = SHA, run: int = 10, attempt: int = 1, parts: int | None = 1
) -> Offer:
    tiers = texts or (f"### {section or 'evals'}\n\nall good",)
    return Offer(
        comment_key=KEY,
        section_key=section,
        sha=sha,
        run=run,
        attempt=attempt,
        tier=lambda number: tiers[number] if number < len(tiers) else None,
        parts=parts,
    )


def written(key: str, content: str, *, sha: str = SHA, run: int = 10, attempt: int = 1) -> str:
    section = Section(key=key, sha=sha, run=run, attempt=attempt, content=content)
    return StickyBody(key=KEY, sections={key: section}, rev=(1, "0" * 8)).render()


def go(fake: FakeGitHub, wish: Offer, rules: Rules | None = None, patience: Patience = EAGER) -> Outcome:
    with connected(fake, patience=patience) as to:
        return publish(to.conversation(7), wish, to.api, rules)


def sections_of(fake: FakeGitHub) -> dict[str, str]:
    (body,) = [body for body in fake.bodies(7) if parse(body, KEY)]
    parsed = parse(body, KEY)
    assert parsed is not None
    return {key: section.content for key, section in parsed.sections.items()}


def writes(fake: FakeGitHub) -> list[str]:
    return [asked.method for asked in fake.asked if asked.method != "GET"]


def test_the_first_run_creates_and_the_next_commit_updates(pull: FakeGitHub):
    assert go(pull, offer()).did is Did.CREATED
    pull.add_pull(7, head_sha="b" * 40)
    assert go(pull, offer("", "### evals\n\nworse", sha="b" * 40, run=11)).did is Did.UPDATED
    assert sections_of(pull) == {"": "### evals\n\nworse"}
    assert writes(pull) == ["POST", "PATCH"]


def test_nothing_is_written_when_nothing_changed(pull: FakeGitHub):
    go(pull, offer("leg"))
    assert go(pull, offer("leg")).did is Did.UNCHANGED
    assert go(pull, offer("leg", attempt=2)).did is Did.UNCHANGED
    assert writes(pull) == ["POST"]


def test_the_same_run_writes_the_same_bytes(pull: FakeGitHub):
    go(pull, offer("leg"))
    with FakeGitHub() as other:
        other.add_pull(7, head_sha=SHA)
        go(other, offer("leg"))
        assert other.bodies(7) == pull.bodies(7)


def test_pain_1_two_legs_keep_their_sections_in_one_comment(pull: FakeGitHub):
    """langfuse/experiment-action#78: matrix legs clobber one comment."""
    go(pull, offer("py 3.11", parts=2))
    go(pull, offer("py 3.13", parts=2))
    assert list(sections_of(pull)) == ["py 3.11", "py 3.13"]


def test_pain_1_a_leg_overwritten_in_between_writes_again(pull: FakeGitHub):
    """The other leg's stale write lands right after ours."""
    go(pull, offer("other", parts=2))
    stale = pull.bodies(7)[0]
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(to, lambda: pull.comments[1].update(body=stale), after_update=1)
        outcome = publish(thread, offer("mine", parts=2), to.api)
    assert outcome.did is Did.UPDATED
    assert list(sections_of(pull)) == ["mine", "other"]


def test_pain_2_two_creations_at_once_leave_one_comment_with_both_sections(pull: FakeGitHub):
    """kamp-us/phoenix#273: the lowest id stays, our own duplicate goes once its section is safe."""
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(to, lambda: pull.add_comment(7, BOT, written("other", "theirs")), before_create=1)
        outcome = publish(thread, offer("mine", parts=2), to.api)
    assert outcome.did is Did.CREATED
    assert outcome.sections == ("mine", "other")
    assert sections_of(pull) == {"mine": "### mine\n\nall good", "other": "theirs"}


def test_pain_2_a_duplicate_left_by_a_job_that_died_is_joined_and_removed(pull: FakeGitHub):
    pull.add_comment(7, BOT, written("first", "1"))
    pull.add_comment(7, BOT, written("second", "2"))
    go(pull, offer("third", "3", parts=3))
    assert sections_of(pull) == {"first": "1", "second": "2", "third": "3"}


def test_pain_3_our_comment_behind_the_first_page_is_updated(pull: FakeGitHub):
    """anthropics/claude-code-action#1781: no duplicate after thirty comments."""
    for number in range(132):
        pull.add_comment(7, f"user{number}", "chat")
    own = pull.add_comment(7, BOT, written("", "old", run=9))
    assert go(pull, offer()).did is Did.UPDATED
    assert [asked.path for asked in pull.calls("issues/update-comment")] == [
        f"/repos/octo-org/evals/issues/comments/{own}"
    ]
    assert pull.calls("issues/create-comment") == []


def test_pain_4_an_older_commit_writes_nothing(pull: FakeGitHub):
    """gavv/pull-request-artifacts#15: a run that ends late must not overwrite the newer one."""
    outcome = go(pull, offer("", sha=OLD_SHA))
    assert outcome.did is Did.SKIPPED
    assert SHA[:12] in outcome.reason
    assert writes(pull) == []


def test_pain_4_an_older_attempt_of_the_same_commit_writes_nothing(pull: FakeGitHub):
    pull.add_comment(7, BOT, written("leg", "newer", run=10, attempt=2))
    assert go(pull, offer("leg", "older")).did is Did.SKIPPED
    assert writes(pull) == []


def test_pain_4_a_head_that_moves_while_we_wait_stops_the_write(pull: FakeGitHub):
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(to, lambda: pull.add_pull(7, head_sha="b" * 40), before_look=1)
        outcome = publish(thread, offer("leg", parts=None), to.api)
    assert outcome.did is Did.SKIPPED
    assert writes(pull) == []


def test_a_new_commit_drops_the_sections_of_the_old_one(pull: FakeGitHub):
    pull.add_comment(7, BOT, written("gone leg", "old", sha=OLD_SHA, run=9))
    go(pull, offer("leg", parts=2))
    assert list(sections_of(pull)) == ["leg"]


@pytest.mark.parametrize("status", [403, 404, 410])
def test_pain_5_a_refused_comment_is_an_outcome_with_a_remedy(pull: FakeGitHub, status: int):
    """marocchino/sticky-pull-request-comment#227: a 403 must not fail the job."""
    pull.break_call("issues/create-comment", status, message="Resource not accessible by integration", times=9)
    outcome = go(pull, offer())
    assert outcome.did is Did.FAILED
    assert outcome.failure is not None
    assert outcome.failure.status == status
    assert outcome.failure.remedy
    assert len(pull.calls("issues/create-comment")) == 1


def test_pain_8_too_long_falls_to_the_next_tier(pull: FakeGitHub):
    """actions/dependency-review-action#730: a 422 posts the shorter text instead of nothing."""
    errors = [{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body is too long"}]
    pull.break_call("issues/create-comment", 422, message="Validation Failed", errors=errors, times=2)
    assert go(pull, offer("", "whole", "failures", "counts")).did is Did.CREATED
    assert sections_of(pull) == {"": "counts"}


def test_pain_8_a_text_over_the_budget_is_never_sent(pull: FakeGitHub):
    go(pull, offer("", "🙂" * 20_000, "🙂" * 16_300, "short"))
    assert sections_of(pull) == {"": "short"}
    assert len(pull.bodies(7)[0].encode()) <= 65_000


def test_pain_8_when_every_tier_is_too_long_the_outcome_says_so(pull: FakeGitHub):
    pull.break_call("issues/create-comment", 422, message="Body is too long", times=9)
    outcome = go(pull, offer("", "whole", "counts"))
    assert outcome.did is Did.FAILED
    assert outcome.failure is not None
    assert outcome.failure.kind is Kind.TOO_LONG


def test_twenty_long_sections_share_one_comment(pull: FakeGitHub):
    for number in range(20):
        tiers = (f"leg {number}\n" + "x" * 60_000, f"leg {number}\n" + "y" * 20_000, f"leg {number}\nshort")
        assert go(pull, offer(f"leg {number}", *tiers)).did in (Did.CREATED, Did.UPDATED)
    found = sections_of(pull)
    assert list(found) == [f"leg {number}" for number in range(20)]
    assert all(text.startswith(key) for key, text in found.items())
    assert len(pull.bodies(7)[0].encode()) <= 65_000


def test_with_a_known_number_of_parts_none_takes_more_than_its_share(pull: FakeGitHub):
    go(pull, offer("leg 1", "x" * 40_000, "y" * 30_000, "short", parts=2))
    assert len(sections_of(pull)["leg 1"]) == 30_000


def test_sections_that_do_not_fit_even_as_lines_are_told(pull: FakeGitHub):
    outcome = go(pull, offer("leg", "x" * 2_000), Rules(body_bytes=1_000))
    assert outcome.did is Did.FAILED
    assert "do not fit" in outcome.reason
    assert outcome.lost == ("leg",)


def test_pain_13_only_our_own_comment_that_starts_with_the_marker_is_ours(pull: FakeGitHub):
    """philips-software/pull-request-report-action#59: quoted markers and `-->` find nothing."""
    marker = written("", "fake")
    pull.add_comment(7, "mallory", marker)
    pull.add_comment(7, BOT, "> quoting:\n" + marker)
    pull.add_comment(7, BOT, marker.replace(KEY, comment_key("other.yaml")))
    hostile = f"text --> <!-- evalci:end -->\n<!-- evalci:end -->\n{marker}"
    assert go(pull, offer("", hostile)).did is Did.CREATED
    assert go(pull, offer("", hostile)).did is Did.UNCHANGED
    assert len(pull.comments) == 4
    assert list(sections_of_own(pull)) == [""]


def sections_of_own(fake: FakeGitHub) -> dict[str, Section]:
    own = parse(fake.bodies(7)[-1], KEY)
    assert own is not None
    return dict(own.sections)


def test_two_jobs_under_one_key_are_told_to_take_two(pull: FakeGitHub):
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(
            to, lambda: pull.comments[1].update(body=written("leg", "the other job's")), after_update=99
        )
        pull.add_comment(7, BOT, written("leg", "the other job's"))
        outcome = publish(thread, offer("leg", parts=2), to.api)
    assert outcome.did is Did.FAILED
    assert "key of its own" in outcome.reason


def test_a_section_that_is_overwritten_for_ever_is_named_as_lost(pull: FakeGitHub):
    with connected(pull, patience=EAGER) as to:
        first = pull.add_comment(7, BOT, written("other", "theirs"))
        stale = pull.comments[first]["body"]
        thread = Interfering(to, lambda: pull.comments[first].update(body=stale), after_update=99)
        outcome = publish(thread, offer("mine", parts=2), to.api)
    assert outcome.did is Did.FAILED
    assert outcome.lost == ("mine",)
    assert "others kept overwriting" in outcome.reason
    assert len(pull.calls("issues/update-comment")) == Rules().max_writes


def test_a_section_of_a_job_that_has_left_is_put_back_by_whoever_saw_it(pull: FakeGitHub):
    """The other job's section is overwritten after it left: ours, still settling, has seen it."""
    pull.add_comment(7, BOT, written("other", "theirs"))
    with connected(pull, patience=EAGER) as to:
        without = written("mine", "### mine\n\nall good")
        thread = Interfering(to, lambda: pull.comments[1].update(body=without), after_update=1)
        outcome = publish(thread, offer("mine", parts=2), to.api)
    assert outcome.sections == ("mine", "other")
    assert list(sections_of(pull)) == ["mine", "other"]


@pytest.mark.parametrize("how", ["cut", "silent"])
@pytest.mark.parametrize("after", [False, True])
def test_a_create_that_may_have_happened_is_looked_for_before_it_is_repeated(pull: FakeGitHub, how: str, after: bool):
    pull.break_call("issues/create-comment", how=how, after=after)
    outcome = go(pull, offer(), patience=Patience(call_seconds=0.1, write_gap=0.0))
    assert outcome.did is Did.CREATED
    assert len(pull.comments) == 1
    assert len(pull.calls("issues/create-comment")) == (1 if after else 2)


@pytest.mark.parametrize("status", [429, 500, 502])
def test_a_passing_refusal_of_an_update_leads_to_a_fresh_look(pull: FakeGitHub, status: int):
    pull.add_comment(7, BOT, written("other", "theirs"))
    pull.break_call("issues/update-comment", status)
    assert go(pull, offer("mine", parts=2)).did is Did.UPDATED
    methods = [asked.method for asked in pull.asked]
    first = methods.index("PATCH")
    assert "GET" in methods[first + 1 : methods.index("PATCH", first + 1)]


def test_a_comment_deleted_under_our_hands_is_made_anew(pull: FakeGitHub):
    pull.add_comment(7, BOT, written("", "old", run=9))
    with connected(pull, patience=EAGER) as to:
        outcome = publish(Interfering(to, pull.comments.clear, before_update=1), offer(), to.api)
    assert outcome.did is Did.CREATED
    assert list(sections_of(pull)) == [""]


def test_time_that_runs_out_while_others_write_is_not_success(pull: FakeGitHub):
    outcome = go(pull, offer("leg", parts=2), patience=Patience(deadline_seconds=2.0, write_gap=0.0))
    assert outcome.did is Did.FAILED
    assert "time ran out" in outcome.reason


@pytest.mark.parametrize("call", ["issues/list-comments", "pulls/get", "issues/create-comment"])
@pytest.mark.parametrize("status", [401, 403, 404, 410, 422, 429, 500, 502])
def test_no_status_on_any_call_raises(pull: FakeGitHub, call: str, status: int):
    pull.break_call(call, status, times=999)
    outcome = go(pull, offer())
    assert outcome.did is Did.FAILED
    assert outcome.failure is not None
    assert outcome.failure.status == status


class Interfering:
    """A real conversation in which somebody else acts right before or after one of our calls."""

    def __init__(self, to: Connected, act: Callable[[], object], **moments: int) -> None:
        self.inner, self.act, self.moments = to.conversation(7), act, moments

    def _at(self, moment: str) -> None:
        if self.moments.get(moment, 0) > 0:
            self.moments[moment] -= 1
            self.act()

    def author(self):
        return self.inner.author()

    def head_sha(self):
        return self.inner.head_sha()

    def comments(self):
        found = self.inner.comments()
        self._at("before_look")
        return found

    def create(self, body: str):
        self._at("before_create")
        self.inner.create(body)

    def update(self, number: int, body: str):
        self._at("before_update")
        self.inner.update(number, body)
        self._at("after_update")

    def delete(self, number: int):
        self.inner.delete(number)


def test_an_outcome_says_cause_and_remedy_once(pull: FakeGitHub):
    pull.break_call("issues/create-comment", 403, message="Resource not accessible by integration")
    assert go(pull, offer()).lines() == (
        "comment failed: could not comment on #7 (POST /repos/octo-org/evals/issues/7/comments): "
        "GitHub answered 403 (Resource not accessible by integration)",
        "  add to the job:",
        "    permissions:",
        "      pull-requests: write",
    )


def test_a_comment_that_could_not_be_looked_at_again_is_not_success(pull: FakeGitHub):
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(to, lambda: pull.break_call("issues/list-comments", 500, times=99), after_update=1)
        pull.add_comment(7, BOT, written("", "old", run=9))
        outcome = publish(thread, offer(), to.api)
    assert outcome.did is Did.FAILED
    assert "could not be checked" in outcome.reason


def test_a_section_without_a_commit_or_a_text_cannot_be_offered():
    with pytest.raises(ValueError, match="commit"):
        offer("leg", sha="main")
    with pytest.raises(ValueError, match="text"):
        Offer(comment_key=KEY, section_key="", sha=SHA, run=1, attempt=1, tier=lambda number: None).sections()


@pytest.mark.parametrize(("parts", "did"), [(2, Did.UPDATED), (3, Did.FAILED), (None, Did.FAILED)])
def test_a_write_slower_than_others_wait_is_no_success_while_a_section_may_be_gone(
    pull: FakeGitHub, parts: int | None, did: Did
):
    """Whoever we overwrote may have left: only the expected number of sections shows that nothing is gone."""
    pull.add_comment(7, BOT, written("other", "theirs"))
    with connected(pull, patience=EAGER) as to:
        thread = Interfering(to, lambda: to.clock.sleep(9.0), before_update=1)
        outcome = publish(thread, offer("mine", parts=parts), to.api)
    assert outcome.did is did
    if did is Did.FAILED:
        assert "took 9.0 s" in outcome.reason
        assert "'mine', 'other'" in outcome.reason


def test_a_head_that_moves_during_a_rate_limit_wait_stops_the_write(pull: FakeGitHub):
    pull.break_call("issues/create-comment", 429, headers={"retry-after": "60"})
    with connected(pull, patience=EAGER) as to:
        to.api.effects = replace(to.api.effects, sleep=lambda seconds: pull.add_pull(7, head_sha="b" * 40))
        outcome = publish(to.conversation(7), offer(), to.api)
    assert outcome.did is Did.SKIPPED
    assert pull.comments == {}


def test_sections_too_long_together_are_cut_to_their_first_lines():
    """Ours stays whole as long as the others, cut, leave room."""
    own = Section(key="mine", sha=SHA, run=1, attempt=1, content="mine\n" + "x" * 100)
    other = Section(key="other", sha=SHA, run=1, attempt=1, content="other headline\n" + "y" * 500)
    known = Knowledge(own=[own], others={"other": other})
    found = fitted(known, KEY, smallest_tier=0, limit=700, parts=None)
    assert found is not None
    assert found["mine"].content == own.content
    assert found["other"].content == "other headline"
    assert fitted(known, KEY, smallest_tier=0, limit=300, parts=None) is None


sections = st.builds(
    Section,
    key=st.text(min_size=1, max_size=8),
    sha=st.just(SHA),
    run=st.integers(0, 10**12),
    attempt=st.integers(1, 9),
    content=st.text(max_size=80).map(cleaned),
)


@given(st.lists(sections, min_size=1, max_size=4))
def test_a_comment_reads_back_as_it_was_written(found: list[Section]):
    body = StickyBody(key=KEY, sections={section.key: section for section in found}, rev=(3, "0123abcd"))
    assert parse(body.render(), KEY) == body
    assert parse(body.render().replace("\n", "\r\n"), KEY) == body


@given(st.text(max_size=200))
def test_no_text_is_taken_for_a_comment_of_ours(text: str):
    assert parse(text, KEY) is None
    assert parse("x" + written("", text), KEY) is None


@given(st.permutations(range(6)), st.lists(sections, min_size=6, max_size=6))
def test_what_is_known_does_not_depend_on_the_order_of_looks(order: list[int], found: list[Section]):
    def learned(positions: list[int]) -> dict[str, tuple[int, int]]:
        known = Knowledge(own=[Section(key="\0", sha=SHA, run=1, attempt=1, content="")])
        for position in positions:
            section = found[position]
            known.learn(Seen(main_id=1, main=StickyBody(key=KEY, sections={section.key: section})))
        return {key: section.version for key, section in known.others.items()}

    assert learned(order) == learned(list(range(6)))


def test_sections_stand_in_the_natural_order_of_their_keys(pull: FakeGitHub):
    for key in ("shard 10/12", "shard 2/12", "shard 1/12"):
        go(pull, offer(key))
    body = pull.bodies(7)[0]
    assert body.index("### shard 1/12") < body.index("### shard 2/12") < body.index("### shard 10/12")
