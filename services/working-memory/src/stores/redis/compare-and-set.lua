-- Writes a memory if nobody has written it since `version` was read, and once for each owner of a run. One script: the check
-- and the write cannot be parted, and a repeated call finds the mark of the first.
-- KEYS: the memory (hash: memory, version), the run's mark (the epoch that has written)
-- ARGV: version, memory (JSON), epoch, how long the mark is kept (ms)
local marked = tonumber(redis.call('GET', KEYS[2]) or '0')
local epoch = tonumber(ARGV[3])
if marked == epoch then return { 'repeated' } end
if marked > epoch then return { 'superseded', tostring(marked) } end

local current = redis.call('HMGET', KEYS[1], 'version', 'memory')
local version = current[1] or '0'
if version ~= ARGV[1] then return { 'conflict', version, current[2] or '' } end

redis.call('HSET', KEYS[1], 'version', string.format('%d', version + 1), 'memory', ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return { 'written' }
