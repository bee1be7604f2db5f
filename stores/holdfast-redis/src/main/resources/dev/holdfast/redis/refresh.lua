-- Tells how claims stand and arms their ttl anew; never revives one.
-- KEYS: for each claim its lock and line. ARGV: the claims.

local function refresh(lock, claim)
  local known = find(lock, claim.id)
  if not known or known.state == 'l' then
    return { 'gone' }
  end
  -- Before the first HSET: a server that is out of memory refuses a script's HSET, but not after another
  -- write; and a renewal takes no memory.
  keep(lock)
  return rearm(lock, known, claim)
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = answer(refresh, KEYS[2 * i - 1], KEYS[2 * i], asked(2 * i - 1))
end
return replies
