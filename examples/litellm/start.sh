#!/usr/bin/env bash
# Starts a LiteLLM proxy on port 4000 that is guarded by the agent "demo". `npm start` serves the agent.
#
#     examples/litellm/start.sh
#
# MODEL, MODEL_URL, MODEL_KEY: the model behind the proxy. AGENT, MILLRACE_URL, MILLRACE_API_KEY: its guards.
# LITELLM: an installed program; without it the script installs the pinned one into .venv.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)

export MODEL=${MODEL:-openai/gpt-5-mini}
export MODEL_URL=${MODEL_URL:-https://api.openai.com/v1}
export MODEL_KEY=${MODEL_KEY:-${OPENAI_API_KEY:-none}}
export GUARD_URL=${MILLRACE_URL:-http://127.0.0.1:8080}/v1/agents/${AGENT:-demo}
export MILLRACE_API_KEY=${MILLRACE_API_KEY:-$(cat "$folder/../../.millrace/keys/auth/first.key")}
export LITELLM_MASTER_KEY=${LITELLM_MASTER_KEY:-sk-$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')}

if [[ -z ${LITELLM:-} ]]; then
  LITELLM=$folder/.venv/bin/litellm
  if [[ ! -x $LITELLM ]]; then
    python3 -m venv "$folder/.venv"
    "$folder/.venv/bin/pip" install --quiet --no-deps --only-binary :all: --require-hashes -r "$folder/requirements.txt"
  fi
fi
echo "API key of the proxy: $LITELLM_MASTER_KEY"
exec "$LITELLM" --config "${CONFIG:-$folder/config.yaml}" --host 127.0.0.1 --port "${PORT:-4000}"
