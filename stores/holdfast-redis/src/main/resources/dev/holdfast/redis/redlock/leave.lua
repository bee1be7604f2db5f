-- Frees locks that these claims still hold, or lets them linger.
-- KEYS: the node, locks. ARGV: for each claim, round or '' for any, linger in ms, how long its tombstone lasts in
-- ms.

return each(4, function(lock, from)
  local id = ARGV[from + 1]
  local round = ARGV[from + 2]
  local held = redis.call('HMGET', lock, 'id', 'round', 'lingers')
  local there = held[1] == id and not held[3] and (round == '' or held[2] == round)
  if there and ARGV[from + 3] ~= '0' then
    redis.call('HSET', lock, 'lingers', '1')
    redis.call('PEXPIRE', lock, ARGV[from + 3])
  elseif there then
    redis.call('DEL', lock)
  end
  if ARGV[from + 4] ~= '0' then
    redis.call('SET', lock .. ':tombstone:' .. id, '1', 'PX', ARGV[from + 4])
  end
  return { there and 'left' or 'gone' }
end)
