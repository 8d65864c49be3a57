-- Adds what a model call cost to a total, once. KEYS: the total, the mark of the call, both of one slot. ARGV: the cost (under 0: what is taken off), how long the
-- total is kept, how long the mark, ms. Answers the total.
if not redis.call('SET', KEYS[2], 1, 'NX', 'PX', ARGV[3]) then
  return redis.call('GET', KEYS[1]) or '0'
end
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('GET', KEYS[1])
