-- Ends granted claims and tells their clients.
-- KEYS: the lock, its line. ARGV: '0' for every claim, or a token for the one that has it.

-- An exclusive claim has all tokens from its own to the last; a shared claim only its own.
local function has(lock, claim, token)
  if token == 0 or token == claim.token then
    return true
  end
  local alone = lock.kind ~= 'SEMAPHORE' and claim.weight == lock.capacity
  return alone and token > claim.token and token <= lock.last
end

local function evict(lock, token)
  local ended = false
  for _, claim in ipairs(lock.holders > 0 and all(lock) or {}) do
    if claim.token > 0 and has(lock, claim, token) then
      ended = true
      remove(lock, claim)
      redis.call('PUBLISH', claim.channel, lock.key)
    end
  end
  return { ended and 'left' or 'gone' }
end

return { answer(evict, KEYS[1], KEYS[2], tonumber(ARGV[1])) }
