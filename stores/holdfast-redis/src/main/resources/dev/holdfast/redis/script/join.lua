-- Joins the queue; without waiting, only if granted at once.
-- KEYS: the lock, its line. ARGV: the claim's id and the claim, then '1' to wait.

local function holder(lock)
  local newest = find(lock, lock.newest)
  if not newest then
    for _, claim in ipairs(all(lock)) do
      newest = claim.token > 0 and claim or newest
    end
  end
  return newest and newest.owner or ''
end

local function enqueue(lock, claim, owner)
  if owner then
    redis.call('PUBLISH', owner.channel, lock.key) -- it may be idle, and gives the lock back
  end
  lock.asking = claim
  claim.state = 'w'
  claim.ends = now + claim.waiting
  if lock.second then
    spread(lock)
  elseif lock.alone and lock.records == 0 and lock.alone.weight == lock.capacity then
    lock.second = claim
    lock.waiting = 1
  end
  put(lock, claim)
  return queued(lock, claim)
end

local function join(lock, claim, wait)
  note(lock, claim)
  if lock.fields and redis.call('HGET', lock.key, '~' .. claim.id) then
    return { 'busy', '' }
  end
  local known = find(lock, claim.id)
  if known then
    return known.state == 'l' and { 'busy', '' } or rearm(lock, known, claim)
  end
  if lock.holders == 0 and lock.waiting == 0 then
    lock.kind = claim.kind
    lock.capacity = claim.capacity
  elseif lock.kind ~= claim.kind or lock.capacity ~= claim.capacity then
    return { 'mismatch', lock.kind, text(lock.capacity) }
  end
  if lock.waiting == 0 and lock.held + claim.weight <= lock.capacity then
    grant(lock, claim)
    claim.ends = now + claim.ttl
    put(lock, claim)
    return granted(lock, claim, claim)
  end
  local owner = lock.waiting == 0 and only_keepable(lock)
  return (wait or owner) and enqueue(lock, claim, owner) or { 'busy', holder(lock) }
end

return { answer(join, KEYS[1], KEYS[2], asked(1), ARGV[3] == '1') }
