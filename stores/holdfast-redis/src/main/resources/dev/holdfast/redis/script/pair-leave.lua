-- Mostly a mutex passes to the only claim that waits. Grants that claim and tells its client, as promote in queue.lua
-- does; everything else is left to the scripts behind. The records are those of records.lua.
-- KEYS and ARGV as in leave.lua; behind alone-leave.lua.

local claim = {PAIR.ID} + 1 + #ARGV[1]
if plain and ahead and string.sub(ahead, {PAIR.ID}, claim - 1) == ARGV[1] .. ' '
  and string.sub(ahead, {PAIR.SHAPE}) == '4 p '
  and string.sub(ahead, {PAIR.ARMED}) + string.sub(ahead, {CLAIM.TTL + claim}) > now
  and now - string.sub(ahead, {PAIR.LAST}) > 0 then
  local from = {PAIR.ID} + 1 + string.sub(ahead, {PAIR.SIZE})
  local blank = string.find(ahead, ' ', from, true)
  local waiter = blank and blank + 1 -- where the second claim begins, behind its id
  if waiter and string.sub(ahead, {CLAIM.MUTEX + waiter}) == '0 MUTEX 1 1 ' then
    local ends = string.sub(ahead, {PAIR.NEXT_ARMED}) + string.sub(ahead, {CLAIM.WAITING_TTL + waiter})
    local armed = ends - string.sub(ahead, {CLAIM.TTL + waiter})
    if ends > now and armed > 0 and now - string.sub(ahead, {CLAIM.FLOOR + waiter}) > 0 then
      local saved = redis.pcall('HSET', KEYS[1], 'lock', '4 a ' .. string.format('%016.0f', armed) .. ' ' .. stamp
        .. ' ' .. string.sub(ahead, {PAIR.EXPIRY}) .. ' ' .. string.sub(ahead, from))
      if type(saved) ~= 'table' then
        redis.call('PUBLISH', string.match(ahead, '^%S+', {CLAIM.CHANNEL + waiter}), KEYS[1])
        return 'left'
      end
    end
  end
end
