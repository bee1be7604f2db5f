-- The queue of one lock; put in front of every verb, behind records.lua.

-- Removes the expired for good, so that a clock that is set back revives nobody.
local function sweep(lock)
  if now < lock.soonest then
    return
  end
  lock.changed = true
  lock.soonest = FAR
  local claims = all(lock)
  -- Counted anew, in case a step has failed half-way, on a record that somebody damaged.
  lock.records = #claims - (lock.alone and 1 or 0) - (lock.second and 1 or 0)
  for _, claim in ipairs(claims) do
    if claim.till <= now then
      remove(lock, claim)
    else
      lock.soonest = math.min(lock.soonest, claim.till)
    end
  end
end

-- Tokens rise over everything this lock has handed out and this client has seen.
local function reserve(lock, count, floor)
  local first = math.max(lock.last, floor) + 1
  lock.last = first + count - 1
  return first
end

-- A floor that the clock has not passed holds from now on for all claims of the lock, whatever becomes of this one.
local function note(lock, claim)
  if claim.floor > now and claim.floor > lock.last then
    lock.last = claim.floor
    lock.changed = true
  end
end

-- The clock is a floor too: tokens rise even if the server has forgotten the lock.
local function grant(lock, claim)
  claim.state = 'g'
  claim.since = now
  claim.token = reserve(lock, 1, math.max(claim.floor, now - 1))
  lock.held = lock.held + claim.weight
  lock.holders = lock.holders + 1
  lock.newest = claim.id
end

local function next_in_line(lock)
  return lock.second and lock.second.id or redis.call('ZRANGE', lock.line, 0, 0)[1]
end

-- Lets in whoever fits, in arrival order, and tells its client. The ttl is left alone: the refresh that
-- follows arms it, and only its answer reports the grant.
local function promote(lock)
  while lock.waiting > 0 and lock.held < lock.capacity do
    local second, id = lock.second, next_in_line(lock)
    local claim = find(lock, id)
    if claim and lock.held + claim.weight > lock.capacity then
      return
    end
    lock.waiting = lock.waiting - (second and 1 or redis.call('ZREM', lock.line, id))
    if second and not lock.alone then
      lock.alone, lock.second = second, nil
    end
    if claim then
      grant(lock, claim)
      put(lock, claim)
      redis.call('PUBLISH', claim.channel, lock.key)
    end
  end
end

local function line_up(lock, claim)
  local last = redis.call('ZRANGE', lock.line, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', lock.line, text((last or 0) + 1), claim.id)
  -- Where nobody waits there may still be a line, of claims that the server has dropped for lack of memory.
  lock.lined = lock.lined or lock.waiting == 0
  lock.waiting = lock.waiting == 0 and redis.call('ZCARD', lock.line) or lock.waiting + 1
  return lock.waiting - 1
end

-- Gives the claims in the lock's own record each one of their own.
local function spread(lock)
  local alone, second = lock.alone, lock.second
  lock.alone, lock.second = nil, nil
  if alone then
    write(lock, alone)
  end
  if second then
    write(lock, second)
    if second.state == 'w' then
      lock.waiting = 0
      line_up(lock, second)
    end
  end
end

-- Whoever was let in with a waiter's life and has a longer ttl was armed before it came, as far as the record tells.
local function armed(till, life)
  return string.format('%016.0f ', math.max(0, till - life))
end

local function as_sent(claim)
  return claim.id .. string.format(' %014.0f %014.0f %016.0f 0 %s %.0f %.0f ', claim.ttl, claim.waiting, claim.floor,
    claim.kind, claim.capacity, claim.weight) .. claim.channel .. ' ' .. claim.owner .. claim.value
end

-- What is said of the lock itself.
local function record_of(lock)
  local first, second = lock.alone, lock.second
  if lock.records == 0 and lock.waiting == (second and 1 or 0) then
    if not first then
      return string.format('%s f %016.0f %016.0f', FORMAT, lock.last, kept(lock))
    end
    local alone = first.state == 'g' and first.token == lock.last
    local head = armed(first.till, first.ttl) .. string.format('%016.0f %016.0f ', lock.last, kept(lock))
    if alone and not second then
      return FORMAT .. ' a ' .. head .. as_sent(first)
    end
    if alone and first.weight == lock.capacity and second.state == 'w' then
      local holder = as_sent(first)
      return FORMAT .. ' p ' .. head .. armed(second.till, second.waiting)
        .. string.format('%016.0f %06d ', second.since, #holder) .. holder .. ' ' .. as_sent(second)
    end
  end
  spread(lock)
  return string.format('%s q %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f ', FORMAT, lock.kind, lock.capacity, lock.last,
    lock.held, lock.holders, lock.records, lock.soonest, math.max(lock.latest, lock.last)) .. lock.newest
    .. (lock.lingers > now and ' ' .. text(lock.lingers) or '')
end

local function save(lock)
  set(lock, 'lock', record_of(lock))
  local longer = kept(lock) > lock.kept
  local lined = lock.lined or longer and lock.waiting > 0 and not lock.second
  local at = (longer or lined) and text(kept(lock) / 1000 + KEPT_MILLIS)
  if longer then
    redis.call('PEXPIREAT', lock.key, at)
  end
  if lined then
    redis.call('PEXPIREAT', lock.line, at)
  end
end

local function granted(lock, claim, asked)
  local first = asked.spares > 0 and reserve(lock, asked.spares, asked.floor) or 0
  return { 'granted', text(claim.token), text(first), text(asked.spares) }
end

-- Whoever is next wakes up when somebody may have died; the others when the one before them may have.
local function queued(lock, claim)
  -- It has no place if it has just come, or if the server has dropped the line for lack of memory.
  local rank = claim == lock.second and 0 or redis.call('ZRANK', lock.line, claim.id) or line_up(lock, claim)
  local watched = lock.soonest
  while rank > 0 do
    local id = redis.call('ZRANGE', lock.line, rank - 1, rank - 1)[1]
    local before = find(lock, id)
    if before then
      watched = before.till
      break
    end
    -- The server has dropped that claim.
    lock.changed = true
    lock.waiting = lock.waiting - redis.call('ZREM', lock.line, id)
    rank = rank - 1
  end
  return { 'queued', text(lock.holders + rank), text(math.max(0, watched - now)) }
end

-- Arms the ttl of a claim that is there, takes over its weight and value, and tells how it stands.
local function rearm(lock, claim, asked)
  note(lock, asked)
  local weight = math.min(claim.weight, asked.weight) -- more could break into what others hold
  if claim.state == 'g' then
    lock.held = lock.held - claim.weight + weight
  end
  claim.weight = weight
  claim.floor = asked.floor
  claim.value = asked.value
  claim.channel = asked.channel
  claim.till = now + (claim.state == 'g' and asked.ttl or asked.waiting)
  put(lock, claim)
  if claim.state == 'g' then
    return granted(lock, claim, asked)
  end
  lock.asking = claim
  promote(lock)
  if claim.state == 'w' then
    return queued(lock, claim)
  end
  return rearm(lock, claim, asked)
end

-- A linger ends by itself, so the next in line has to know when: it is told to ask as soon as there is something to
-- know, or as it has become the next. Whoever asks now is answered anyway.
local function announce(lock, before)
  local id = lock.waiting > 0 and lock.lingers > now and next_in_line(lock)
  local claim = id and (id ~= before or lock.lingered) and find(lock, id)
  if claim and claim ~= lock.asking then
    redis.call('PUBLISH', claim.channel, lock.key)
  end
end

-- The claim in ARGV at this place and the next.
local function asked(from)
  return sent(ARGV[from], ARGV[from + 1])
end

-- One atomic step on a lock: removes the expired, acts, lets in whoever fits then. Where nothing has changed, nobody
-- fits who did not before.
local function step(act, key, line, ...)
  local lock = open(key, line)
  local before = lock.lingers > now and next_in_line(lock)
  sweep(lock)
  if lock.changed then
    promote(lock)
  end
  local reply = act(lock, ...)
  if lock.changed then
    promote(lock)
    announce(lock, before)
    save(lock)
  end
  return reply
end

-- Each lock is answered for itself: one that is damaged must not spoil the answers for the others.
local function safely(act, ...)
  local done, reply = pcall(act, ...)
  if done then
    return reply
  end
  return { 'error', type(reply) == 'table' and reply.err or tostring(reply) }
end

local function answer(act, ...)
  return safely(step, act, ...)
end
