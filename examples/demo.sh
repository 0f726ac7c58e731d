#!/bin/sh
# Runs the examples the way their first lines say; `make demo` calls it with the command in the PATH.
set -eu
cd "$(dirname "$0")/.."

# The commands are the indented lines of the first comment that begin with "hotplate".
# Without -r, read joins a line that ends in a backslash with the next one.
commands_of() {
    sed -n '/^#/!q; s/^#   *//p' "$1" | while read command; do
        case $command in hotplate*) printf '%s\n' "$command" ;; esac
    done
}

show() {
    printf '\n%s\n' "$(sed -n '1s/^# //p' "$1")"
    commands_of "$1" | while read -r command; do
        printf '$ %s\n' "$command"
        sh -c "$command" </dev/null 2>&1
    done
}

echo "Templates that are right. Nothing is created, and no cloud is asked."
for example in hello.yaml parameters.yaml conditions.yaml functions.yaml nested/app.yaml environments/app.yaml cfn.template; do
    show "examples/$example"
done

printf '\nAnd one that is wrong:\n'
if show examples/broken.yaml; then
    echo "examples/broken.yaml should have been refused"
    exit 1
fi

printf '\nAnd a real stack: an engine in the process of the command brings it up and deletes it.\n'
printf '$ hotplate demo --delete examples/hello.yaml\n'
hotplate demo --delete examples/hello.yaml

printf '\nThat was the demo. Change a file in examples/ and run its command again:\n'
printf '  .venv/bin/%s\n' "$(commands_of examples/hello.yaml | head -n 1)"
