-- Changes a thread of an owner as a whole. All keys are the thread's, and so of one slot.
--
-- KEYS thread, order, bodies, runs
-- ARGV owner, then 'update' and fields with their values; 'name', the title and that of a
--      thread without one; 'empty'; 'drop'; 'delete' and message ids; or 'truncate', the id of the first message to delete and
--      that of the last message
-- Returns {'thread-unknown'} if the thread does not exist or has another owner, {'conflict', id of the last message or ''} if 'truncate' expects
-- another one, else {'ok', number of deleted messages}. 'drop' keeps a thread that has messages again.
local thread, order, bodies, runs = unpack(KEYS)
local owner, what = ARGV[1], ARGV[2]

if redis.call('HGET', thread, 'owner') ~= owner then
  return { 'thread-unknown' }
end
if what == 'update' then
  for at = 3, #ARGV, 2 do
    redis.call('HSET', thread, ARGV[at], ARGV[at + 1])
  end
  return { 'ok', '0' }
end
if what == 'name' then
  if redis.call('HGET', thread, 'title') == ARGV[4] then
    redis.call('HSET', thread, 'title', ARGV[3])
  end
  return { 'ok', '0' }
end
if what == 'empty' then
  local count = redis.call('ZCARD', order)
  redis.call('DEL', order, bodies)
  redis.call('HSET', thread, 'messageCount', 0)
  return { 'ok', tostring(count) }
end
if what == 'drop' then
  if redis.call('ZCARD', order) == 0 then
    redis.call('DEL', thread, order, bodies, runs)
  end
  return { 'ok', '0' }
end
if what == 'truncate' then
  local last = redis.call('ZRANGE', order, -1, -1)[1]
  if last ~= ARGV[4] then
    return { 'conflict', last or '' }
  end
  local first = redis.call('ZSCORE', order, ARGV[3])
  local cut = first and redis.call('ZRANGEBYSCORE', order, first, '+inf') or {}
  for _, id in ipairs(cut) do
    redis.call('ZREM', order, id)
    redis.call('HDEL', bodies, id)
  end
  redis.call('HSET', thread, 'messageCount', redis.call('ZCARD', order))
  return { 'ok', tostring(#cut) }
end
local deleted = 0
for at = 3, #ARGV do
  deleted = deleted + redis.call('ZREM', order, ARGV[at])
  redis.call('HDEL', bodies, ARGV[at])
end
redis.call('HSET', thread, 'messageCount', redis.call('ZCARD', order))
return { 'ok', tostring(deleted) }
