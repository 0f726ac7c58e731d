#!/bin/sh
# A whole cluster on one machine, without containers: PostgreSQL, RabbitMQ, one server that answers
# and WORKERS (2) that work. Everything is in a folder of its own and goes with Ctrl-C.
#
#   apt-get install postgresql rabbitmq-server
#   pip install 'hotplate[amqp,postgresql]'
#   sh examples/cluster/cluster.sh
#   hotplate up examples/hello.yaml --url http://127.0.0.1:8004/v1   (in another terminal)
set -eu

LISTEN=${LISTEN:-127.0.0.1:8004}
DATABASE_PORT=${DATABASE_PORT:-15432}
BROKER_PORT=${BROKER_PORT:-15672}
WORKERS=${WORKERS:-2}

home=$(mktemp -d)
chmod 755 "$home"
started=
finish() {
    trap - EXIT INT TERM
    # The last one first: workers give back what they have before their database goes.
    for pid in $started; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$home"
}
trap finish EXIT
trap 'exit 0' INT TERM

# Starts a program in the background, with its output in a file.
start() {
    name=$1
    shift
    "$@" >"$home/$name.log" 2>&1 &
    started="$! $started"
}

# Waits until a command succeeds, for half a minute at most.
wait_for() {
    name=$1
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -ge 300 ]; then
            echo "$name did not start:" >&2
            tail -n 20 "$home/$name.log" >&2
            exit 1
        fi
        sleep 0.1
    done
}

programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
mkdir "$home/database"
as_user=
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
    chown postgres "$home/database"
    as_user="setpriv --reuid=postgres --regid=postgres --init-groups"
fi
$as_user "$programs/initdb" --username=hotplate --auth=trust --encoding=UTF8 --no-locale \
    --pgdata "$home/database/data" >"$home/initdb.log" 2>&1
start database $as_user "$programs/postgres" -D "$home/database/data" \
    -c listen_addresses=127.0.0.1 -c port="$DATABASE_PORT" -c unix_socket_directories="$home/database"
wait_for database "$programs/pg_isready" -h 127.0.0.1 -p "$DATABASE_PORT"
"$programs/createdb" -h 127.0.0.1 -p "$DATABASE_PORT" -U hotplate hotplate

mkdir "$home/broker"
echo '[].' >"$home/broker/plugins"
# Its daemon of names goes with it, if it is started here.
start names env ERL_EPMD_PORT=$((BROKER_PORT + 2)) epmd -address 127.0.0.1
start broker env HOME="$home/broker" RABBITMQ_NODENAME="hotplate$BROKER_PORT@localhost" \
    RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT="$BROKER_PORT" \
    RABBITMQ_DIST_PORT=$((BROKER_PORT + 1)) ERL_EPMD_PORT=$((BROKER_PORT + 2)) \
    RABBITMQ_MNESIA_BASE="$home/broker/data" RABBITMQ_LOG_BASE="$home/broker" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$home/broker/plugins" /usr/lib/rabbitmq/bin/rabbitmq-server

HOTPLATE_DATABASE=postgresql://hotplate@127.0.0.1:$DATABASE_PORT/hotplate
HOTPLATE_BROKER=amqp://guest:guest@127.0.0.1:$BROKER_PORT/
HOTPLATE_KEY_FILE=$home/secrets.key
export HOTPLATE_DATABASE HOTPLATE_BROKER HOTPLATE_KEY_FILE
# Nobody has to wait for the broker: what connects before it answers connects again.
start api hotplate serve --no-engine --auth none --listen "$LISTEN"
wait_for api grep -q "is ready" "$home/api.log"
number=0
while [ "$number" -lt "$WORKERS" ]; do
    number=$((number + 1))
    start "worker$number" hotplate worker
done
while [ "$number" -gt 0 ]; do
    wait_for "worker$number" grep -q "is ready" "$home/worker$number.log"
    number=$((number - 1))
done
grep "is ready" "$home/api.log"
echo "$WORKERS workers; logs are in $home; Ctrl-C ends it all."
wait
