-- Saves a run's block, as a whole: Redis runs a script with nothing in between, and writes its effects to the append-only file
-- as one transaction. Redis does not undo what a script did before an error, so everything that can be refused is refused
-- before the first write. All keys are the thread's, and so of one slot.
--
-- A block owns the scores block * stride to block * stride + stride - 1, so a block that is replaced by a longer one still
-- stands before its successor.
--
-- KEYS thread, order, bodies, runs, erased
-- ARGV owner, runId, epoch, now (ms), title, stride, how long a run's mark counts (ms), how many marks are kept, what the ids of
--      the run's own messages begin with, the agent or '', 'begins' if the block
--      creates its thread, or '', the thread's metadata and that of its caller, number of messages that the block replaces, their ids, then id and
--      JSON of each message
-- Returns {'ok', updatedAt}, {'nothing'}, {'thread-foreign'}, {'thread-exists'}, {'save-superseded', epoch of the saved block}, {'id-taken', block} if
-- an earlier run of this id has left a message of the same id, or {'words-differ', id ...} if another block has other words under
-- these ids.
local thread, order, bodies, runs, erased = unpack(KEYS)
local owner, runId, epoch, now, title, stride, markTtl, marksKept, own, agent, begins, metadata, ofCaller = unpack(ARGV, 1, 13)
local FIRST_REPLACED = 15
local FIRST_MESSAGE = FIRST_REPLACED + tonumber(ARGV[14])
local hasMessages = #ARGV >= FIRST_MESSAGE

if tonumber(redis.call('ZSCORE', erased, runId) or '0') >= tonumber(now) then
  return { 'save-superseded', '2147483647' }
end
local begunBy = redis.call('HGET', thread, 'owner')
if begunBy and begunBy ~= owner then
  return { 'thread-foreign' }
end

local block
local saved = redis.call('HGET', runs, runId)
if saved then
  local savedEpoch, savedBlock, savedAt = string.match(saved, '^(%d+):(%d+):(%d+)$')
  -- An older mark is of another run, which had this id when nobody knew of it any more.
  if now - savedAt <= tonumber(markTtl) then
    if tonumber(epoch) < tonumber(savedEpoch) then
      return { 'save-superseded', savedEpoch }
    end
    block = tonumber(savedBlock)
  end
end
if begins ~= '' and begunBy and not block then
  return { 'thread-exists' }
end
if not block and not hasMessages and begins == '' then
  return { 'nothing' }
end

local isNew = not block
block = block or tonumber(redis.call('HGET', thread, 'blocks') or '0') + 1
local first = block * stride
local replaced = {}
for at = FIRST_REPLACED, FIRST_MESSAGE - 1 do
  replaced[ARGV[at]] = true
end
local function isElsewhere(id)
  if replaced[id] then
    return false
  end
  local score = tonumber(redis.call('ZSCORE', order, id) or first)
  return score < first or score >= first + stride
end
-- Returns the text and the data of files that rename-taken.ts compares.
local function decodeWords(body)
  local message = cjson.decode(body)
  local text, files = '', ''
  for _, part in ipairs(message.content.parts) do
    if part.type == 'text' then
      text = text .. part.text
    elseif part.type == 'file' then
      files = files .. ' ' .. part.data
    end
  end
  if text == '' and type(message.content.content) == 'string' then
    text = message.content.content
  end
  local words = string.gsub(message.role .. ' ' .. text .. files, '%s+', ' ')
  return (string.gsub(words, ' $', ''))
end
-- A body that this script cannot read is compared as it is, and so is a different message.
local function readWords(body)
  local isRead, words = pcall(decodeWords, body)
  return isRead and words or body
end
local different = { 'words-differ' }
for at = FIRST_MESSAGE, #ARGV, 2 do
  local id, body = ARGV[at], ARGV[at + 1]
  if isElsewhere(id) then
    if string.sub(id, 1, #own) == own then
      return { 'id-taken', tostring(block) }
    end
    local stored = redis.call('HGET', bodies, id)
    if stored and stored ~= body and readWords(stored) ~= readWords(body) then
      table.insert(different, id)
    end
  end
end
if #different > 1 then
  return different
end

if isNew then
  redis.call('HSET', thread, 'blocks', block)
end
for _, id in ipairs(redis.call('ZRANGE', order, first, first + stride - 1, 'BYSCORE')) do
  redis.call('ZREM', order, id)
  redis.call('HDEL', bodies, id)
end
if hasMessages then
  for id in pairs(replaced) do
    redis.call('ZREM', order, id)
    redis.call('HDEL', bodies, id)
  end
end

local position = 0
for at = FIRST_MESSAGE, #ARGV, 2 do
  local id, body = ARGV[at], ARGV[at + 1]
  -- Another run has stored this message under its id: it stays in place.
  if redis.call('ZADD', order, 'NX', first + position, id) == 1 then
    redis.call('HSET', bodies, id, body)
  end
  position = position + 1
end
redis.call('HSET', runs, runId, epoch .. ':' .. block .. ':' .. now)
if isNew and block % marksKept == 0 then
  local marks = redis.call('HGETALL', runs)
  for at = 1, #marks, 2 do
    if tonumber(string.match(marks[at + 1], ':(%d+):')) <= block - marksKept then
      redis.call('HDEL', runs, marks[at])
    end
  end
end

-- Replicas' clocks differ: a thread never goes back in time.
local updatedAt = math.max(tonumber(now), tonumber(redis.call('HGET', thread, 'updatedAt') or '0'))
for field, value in pairs({ owner = owner, title = title, createdAt = now, metadata = metadata, own = ofCaller }) do
  redis.call('HSETNX', thread, field, value)
end
-- A thread of an earlier version has no list of agents, and gets none: its first agents are unknown.
local agents = string.match(redis.call('HGET', thread, 'metadata'), '^{"agents":%[(.*)%]}$')
local named = '"' .. agent .. '"'
if agents and agent ~= '' and not string.find(agents, named, 1, true) then
  local separator = agents == '' and '' or ','
  redis.call('HSET', thread, 'metadata', '{"agents":[' .. agents .. separator .. named .. ']}')
end
redis.call('HSET', thread, 'updatedAt', updatedAt, 'messageCount', redis.call('ZCARD', order))
if hasMessages then
  redis.call('HSET', thread, 'lastMessageAt', updatedAt)
end
return { 'ok', string.format('%d', updatedAt) }
