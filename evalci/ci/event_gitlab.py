"""GitLab's pipelines as a CiEnvironment; all of it stands in variables."""

from collections.abc import Mapping

from evalci.ci.event import CiEnvironment, Provider, commit, number, shard_of


def gitlab_environment(environ: Mapping[str, str]) -> CiEnvironment:
    """The pipeline that GitLab's variables describe. A retried job has a higher id, so that is its attempt."""
    shard, notes = shard_of(environ)
    get = environ.get
    is_merge_request = get("CI_PIPELINE_SOURCE") == "merge_request_event"
    branch = get("CI_COMMIT_BRANCH") or None
    default = get("CI_DEFAULT_BRANCH") or None
    source, target = get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"), get("CI_MERGE_REQUEST_PROJECT_ID")
    visibility = get("CI_PROJECT_VISIBILITY")
    return CiEnvironment(
        provider=Provider.GITLAB,
        event="merge_request" if is_merge_request else get("CI_PIPELINE_SOURCE", ""),
        repository=get("CI_PROJECT_PATH") or None,
        repository_id=number(get("CI_PROJECT_ID")),
        # In a merged-results pipeline CI_COMMIT_SHA is a merge commit that nobody pushed.
        head_sha=commit(get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")) or commit(get("CI_COMMIT_SHA")),
        head_ref=get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME") or branch,
        base_ref=get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or branch,
        base_sha=commit(get("CI_MERGE_REQUEST_DIFF_BASE_SHA") or get("CI_COMMIT_BEFORE_SHA")),
        default_branch=default,
        on_default_branch=branch is not None and branch == default,
        pull_request=number(get("CI_MERGE_REQUEST_IID")),
        labels=tuple(label.strip() for label in get("CI_MERGE_REQUEST_LABELS", "").split(",") if label.strip()),
        is_fork=bool(source) and source != target,
        read_only=False,
        is_public=visibility == "public" if visibility else None,
        run_id=number(get("CI_PIPELINE_ID")),
        attempt=number(get("CI_JOB_ID")) or 1,
        workflow_path=get("CI_CONFIG_PATH") or None,
        job=get("CI_JOB_NAME") or None,
        server_url=get("CI_SERVER_URL") or None,
        api_url=get("CI_API_V4_URL") or None,
        shard=shard,
        notes=notes,
    )
