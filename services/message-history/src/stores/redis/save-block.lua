-- Saves a run's block, as a whole: Redis runs a script with nothing in between, and writes its effects to the append-only file
-- as one transaction. Redis does not undo what a script did before an error, so everything that can be refused is refused
-- before the first write.
--
-- A block owns the scores block * stride to block * stride + stride - 1, so a block that is replaced by a longer one still
-- stands before its successor.
--
-- KEYS thread, order, bodies, runs, index of the tenant's threads, index of the resource's
-- ARGV threadId, owner, runId, epoch, now (ms), title, stride, then id and JSON of each message
-- Answers {'ok'}, {'thread-foreign'}, or {'save-superseded', epoch that has saved}.
local thread, order, bodies, runs, threads, threadsOfResource = unpack(KEYS)
local threadId, owner, runId, epoch, now, title, stride = unpack(ARGV, 1, 7)
local FIRST_MESSAGE = 8
local hasMessages = #ARGV >= FIRST_MESSAGE

local begunBy = redis.call('HGET', thread, 'owner')
if begunBy and begunBy ~= owner then
  return { 'thread-foreign' }
end

local saved = redis.call('HGET', runs, runId)
local savedEpoch, savedBlock
if saved then
  savedEpoch, savedBlock = string.match(saved, '^(%d+):(%d+)$')
  if tonumber(epoch) < tonumber(savedEpoch) then
    return { 'save-superseded', savedEpoch }
  end
elseif not hasMessages then
  return { 'ok' }
end

local block = tonumber(savedBlock) or redis.call('HINCRBY', thread, 'blocks', 1)
local first = block * stride
for _, id in ipairs(redis.call('ZRANGE', order, first, first + stride - 1, 'BYSCORE')) do
  redis.call('ZREM', order, id)
  redis.call('HDEL', bodies, id)
end

local position = 0
for at = FIRST_MESSAGE, #ARGV, 2 do
  local id, body = ARGV[at], ARGV[at + 1]
  -- What another run has stored under this id is this message, and stays where it is.
  if redis.call('ZADD', order, 'NX', first + position, id) == 1 then
    redis.call('HSET', bodies, id, body)
  end
  position = position + 1
end
redis.call('HSET', runs, runId, epoch .. ':' .. block)

-- Replicas' clocks differ: a thread never goes back in time.
local updatedAt = math.max(tonumber(now), tonumber(redis.call('HGET', thread, 'updatedAt') or '0'))
for field, value in pairs({ owner = owner, title = title, createdAt = now, metadata = '{}' }) do
  redis.call('HSETNX', thread, field, value)
end
redis.call('HSET', thread, 'updatedAt', updatedAt, 'messageCount', redis.call('ZCARD', order))
if hasMessages then
  redis.call('HSET', thread, 'lastMessageAt', updatedAt)
end
redis.call('ZADD', threads, updatedAt, threadId)
redis.call('ZADD', threadsOfResource, updatedAt, threadId)
return { 'ok' }
