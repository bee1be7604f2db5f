-- Ends every granted claim, whoever has it, and tells its client.
-- KEYS: the lock, its line.

local function evict(lock)
  local held = lock.holders > 0
  for _, claim in ipairs(held and all(lock) or {}) do
    if claim.token > 0 then
      remove(lock, claim)
      redis.call('PUBLISH', claim.channel, lock.key)
    end
  end
  return { held and 'left' or 'gone' }
end

return { answer(evict, KEYS[1], KEYS[2]) }
