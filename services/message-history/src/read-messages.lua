-- Reads a span of a thread's messages by rank, oldest first, with the count of all: as one script, so that a save in between
-- cannot show a message without its body.
--
-- KEYS thread, order, bodies
-- ARGV first rank, last rank (negative ones count from the end), and the resource that must own the thread, if any must
-- Answers {'ok', total, JSON of each message...}, {'thread-unknown'} or {'thread-foreign'}.
local thread, order, bodies = unpack(KEYS)
local first, last, resourceId = unpack(ARGV)

local owner = redis.call('HGET', thread, 'resourceId')
if not owner then
  return { 'thread-unknown' }
end
if resourceId and owner ~= resourceId then
  return { 'thread-foreign' }
end

local answer = { 'ok', tostring(redis.call('ZCARD', order)) }
for _, id in ipairs(redis.call('ZRANGE', order, first, last)) do
  answer[#answer + 1] = redis.call('HGET', bodies, id)
end
return answer
