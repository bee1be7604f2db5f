-- Reports how claims stand and restarts their ttl; never revives one.
-- KEYS: for each claim its lock and line. ARGV: the claims.

local function refresh(lock, claim)
  local known = find(lock, claim.id)
  if not known or known.state == 'l' then
    return { 'gone' }
  end
  lock.lean = true
  if lock.records == 1 and lock.waiting == 0 and known.state == 'g' and known.token == lock.last
    and claim.spares == 0 then
    -- The claim is alone again: it goes back into the lock's own record.
    lock.records = lock.records - redis.call('HDEL', lock.key, known.field)
    known.kind, known.capacity, known.ttl, known.waiting = lock.kind, lock.capacity, claim.ttl, claim.waiting
    lock.alone = known
  end
  return rearm(lock, known, claim)
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = answer(refresh, KEYS[2 * i - 1], KEYS[2 * i], asked(2 * i - 1))
end
return replies
