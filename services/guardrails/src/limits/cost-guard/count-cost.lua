-- Adds the cost of a model call to a total, once. KEYS: the total and the call's mark, in one slot. ARGV: the cost (negative: subtracted), the
-- total's retention and the mark's in ms, and the total at or above which nothing is added ('' for none). Returns whether the cost is counted,
-- by this call or an earlier one, and the total.
if redis.call('EXISTS', KEYS[2]) == 0 then
  local total = redis.call('GET', KEYS[1]) or '0'
  if ARGV[4] ~= '' and tonumber(total) >= tonumber(ARGV[4]) then
    return {0, total}
  end
  -- The mark follows the sum: a sum that Redis rejects leaves no mark, so that a repeated call is not taken as counted.
  redis.call('INCRBY', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('SET', KEYS[2], 1, 'PX', ARGV[3])
end
return {1, redis.call('GET', KEYS[1]) or '0'}
