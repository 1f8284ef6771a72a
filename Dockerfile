# evalci in a container: it starts as any user, on a read-only root, and writes to what is mounted and /tmp alone.
#   docker build -t evalci .
ARG BASE=python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285

FROM ${BASE} AS build
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
# Neither environment has a pip of its own; the base's works on both.
RUN python3 -m venv --without-pip /opt/evalci \
    && python3 -m pip --python /opt/evalci/bin/python install --no-cache-dir --no-compile \
        --only-binary=:all: --require-hashes --requirement requirements.lock \
    && python3 -m venv --without-pip /opt/build \
    && python3 -m pip --python /opt/build/bin/python install --no-cache-dir --no-compile \
        --only-binary=:all: --require-hashes --requirement requirements-build.lock
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY evalci evalci
# Byte code is made here, since nothing can be written later; by hash, so that a build gives the same files again.
RUN python3 -m pip --python /opt/build/bin/python wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && python3 -m pip --python /opt/evalci/bin/python install --no-cache-dir --no-compile --no-deps --no-index /wheels/*.whl \
    && /opt/evalci/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/evalci/lib

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="EvalCI" \
      org.opencontainers.image.description="Runs LLM eval suites as tests: record once, replay on every pull request" \
      org.opencontainers.image.source="https://github.com/org/evalci" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /opt/evalci /opt/evalci
ENV PATH=/opt/evalci/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    EVALCI_IN_CONTAINER=1
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/opt/evalci/bin/evalci"]
CMD ["--help"]
RUN ["/opt/evalci/bin/evalci", "--version"]
