"""The half that talks to code hosts: fakes over real sockets, an oracle for the runner, and the tests against both."""
