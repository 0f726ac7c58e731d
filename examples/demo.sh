#!/bin/sh
# What the command does, on an example with stacks inside stacks; `make demo` calls it with the
# command in the PATH. Everything goes into a folder of its own, which is removed at the end.
set -eu
cd "$(dirname "$0")/.."

XDG_DATA_HOME=$(mktemp -d)
export XDG_DATA_HOME
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$XDG_DATA_HOME"' EXIT
unset OS_CLOUD OS_AUTH_URL OS_ENDPOINT HOTPLATE_URL HOTPLATE_DATABASE 2>/dev/null || true

# Shows a command and runs it; the first argument is the exit code it should end with.
run() {
    expected=$1
    shift
    printf '\n$ %s\n' "$*"
    code=0
    "$@" </dev/null 2>&1 || code=$?
    if [ "$code" != "$expected" ]; then
        echo "exit code $code instead of $expected"
        exit 1
    fi
}

SHOP="examples/shop/shop.yaml -e examples/shop/shop.env.yaml"

echo "A template that is wrong is told so, with every mistake in its place."
run 1 hotplate template validate examples/broken.yaml

printf '\nNow a stack with stacks inside: first what would be done, then doing it.\n'
run 3 hotplate preview $SHOP
run 0 hotplate up $SHOP --yes
run 0 hotplate ls
run 0 hotplate tree shop
run 0 hotplate resources shop -n MAX --filter type=OS::Heat::TestResource

printf '\nA change: another image replaces the servers, and one more is made.\n'
run 0 hotplate up $SHOP --yes --parameter image=debian-13 --parameter servers=4

printf '\nA failure: the words of what failed come first, then the ways on.\n'
run 1 hotplate up $SHOP --yes --parameter image=debian-13 --parameter servers=4 --parameter broken=true
run 0 hotplate why shop database.server
run 0 hotplate failures shop
run 0 hotplate rollback shop --yes

printf '\nWhere each value comes from, and what happened to one resource.\n'
run 0 hotplate environment show shop --origins
run 0 hotplate events shop --resource network
run 0 hotplate outputs shop address

printf '\nPut away and back: a snapshot, rest, and a look whether all is well.\n'
run 0 hotplate snapshot create shop --name before
run 0 hotplate suspend shop
run 0 hotplate resume shop
run 0 hotplate check shop

printf '\nWith a server somebody else does the work, here under the names of `openstack stack`: leave, and come back.\n'
hotplate serve --test-resources --listen 127.0.0.1:0 >"$XDG_DATA_HOME/serve.log" 2>&1 &
server=$!
until grep -q 'is ready' "$XDG_DATA_HOME/serve.log"; do sleep 0.2; done
run 0 hotplate stack update --existing --parameter servers=2 shop
run 0 hotplate attach shop
run 0 hotplate stack resource list shop
run 0 hotplate ls --output json
kill "$server"
wait "$server" || true
server=

printf '\nThe end: what goes, in which order, and what stays.\n'
run 0 hotplate down shop --yes

cat <<'END'

That was the demo. Do it by hand, and watch the tree live:
  .venv/bin/hotplate up examples/shop/shop.yaml -e examples/shop/shop.env.yaml
END
