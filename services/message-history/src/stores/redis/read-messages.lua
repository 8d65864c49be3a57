-- Reads a span of a thread's messages by rank, oldest first, with the count of all: as one script, so that a save in between
-- cannot show a message without its body.
--
-- KEYS thread, order, bodies
-- ARGV first rank, last rank (negative ones count from the end), and who must own the thread, if any must
-- Answers {'ok', total, JSON of each message...}, {'thread-unknown'} or {'thread-foreign'}.
local thread, order, bodies = unpack(KEYS)
local first, last, owner = unpack(ARGV)

local begunBy = redis.call('HGET', thread, 'owner')
if not begunBy then
  return { 'thread-unknown' }
end
if owner and begunBy ~= owner then
  return { 'thread-foreign' }
end

local answer = { 'ok', tostring(redis.call('ZCARD', order)) }
for _, id in ipairs(redis.call('ZRANGE', order, first, last)) do
  answer[#answer + 1] = redis.call('HGET', bodies, id)
end
return answer
