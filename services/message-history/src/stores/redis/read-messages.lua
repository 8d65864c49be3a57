-- Reads a span of a thread's messages by rank, with the count of all: as one script, so that a save in between cannot show a
-- message without its body. All keys are the thread's, and so of one slot.
--
-- KEYS thread, order, bodies
-- ARGV first rank, last rank (negative ones count from the end), 'oldest' or 'newest' (where to begin when there is more than the
--      bound), the most bytes of JSON, 'all' (the first is taken whatever its size, and the first that does not fit is the end) or
--      'fitting' (what does not fit is left out), and who must own the thread, if any must
-- Answers {'ok', total, how many of the span were left out, JSON of each message, oldest first...}, {'thread-unknown'} or
-- {'thread-foreign'}.
local thread, order, bodies = unpack(KEYS)
local first, last, from, maxBytes, take, owner = unpack(ARGV)

local begunBy = redis.call('HGET', thread, 'owner')
if not begunBy then
  return { 'thread-unknown' }
end
if owner and begunBy ~= owner then
  return { 'thread-foreign' }
end

local ids = redis.call('ZRANGE', order, first, last)
local left = tonumber(maxBytes)
local taken = {}
local from1, to1, step = 1, #ids, 1
if from == 'newest' then
  from1, to1, step = #ids, 1, -1
end
for at = from1, to1, step do
  local bytes = redis.call('HSTRLEN', bodies, ids[at])
  if bytes <= left or (take == 'all' and #taken == 0) then
    taken[#taken + 1] = redis.call('HGET', bodies, ids[at])
    left = left - bytes
  elseif take == 'all' then
    break
  end
end

local answer = { 'ok', tostring(redis.call('ZCARD', order)), tostring(#ids - #taken) }
from1, to1, step = 1, #taken, 1
if from == 'newest' then
  from1, to1, step = #taken, 1, -1
end
for at = from1, to1, step do
  answer[#answer + 1] = taken[at]
end
return answer
