-- Adds what a model call cost to a total, once. KEYS: the total, the mark of the call, both of one slot. ARGV: the cost (under 0: what is
-- taken off), how long the total is kept, how long the mark, ms; the total from which on nothing is added, '' for none. Answers whether it is
-- counted, now or before, and the total.
if redis.call('EXISTS', KEYS[2]) == 0 then
  local total = redis.call('GET', KEYS[1]) or '0'
  if ARGV[4] ~= '' and tonumber(total) >= tonumber(ARGV[4]) then
    return {0, total}
  end
  redis.call('SET', KEYS[2], 1, 'PX', ARGV[3])
  redis.call('INCRBY', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, redis.call('GET', KEYS[1]) or '0'}
