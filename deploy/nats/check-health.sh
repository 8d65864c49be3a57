#!/bin/sh
# The health check of the compose service `nats`. After a write that failed for want of room a stream takes no further one until nats-server is
# restarted, so the second check in a row that finds one stops the server, and the restart policy starts it again. Without room on the disk
# a restart changes nothing, so the server is left alone until there is room.
url="${NATS_MONITOR_URL:-http://127.0.0.1:8222}"
data="${NATS_DATA_DIR:-/data}"
pid="${NATS_PID:-1}"
marker="${NATS_HEALTH_MARKER:-/tmp/stream-is-broken}"
min_free_kib=65536

is_ok() {
  wget -q -T 2 -O /dev/null "$url/healthz$1"
}

if is_ok ''; then
  rm -f "$marker"
  exit 0
fi
# JetStream runs, and one of its streams does not.
if is_ok '?js-enabled-only=true'; then
  if [ -e "$marker" ] && [ "$(df -Pk "$data" | awk 'NR == 2 { print $4 }')" -gt "$min_free_kib" ]; then
    rm -f "$marker"
    echo 'A stream takes no writes: the server is stopped, to be started again.'
    kill -TERM "$pid"
  else
    : >"$marker"
  fi
fi
exit 1
