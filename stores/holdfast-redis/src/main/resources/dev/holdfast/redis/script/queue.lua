-- The queue of one lock; put in front of every verb, behind records.lua.

-- Removes expired claims for good, so that a clock that is set back revives none.
local function sweep(lock)
  if now < lock.soonest then
    return
  end
  lock.changed = true
  lock.soonest = FAR
  local claims = all(lock)
  -- Counted again, in case a step failed half-way on a damaged record.
  lock.records = #claims - (lock.alone and 1 or 0) - (lock.second and 1 or 0)
  for _, claim in ipairs(claims) do
    if claim.ends <= now then
      remove(lock, claim)
    else
      lock.soonest = math.min(lock.soonest, claim.ends)
    end
  end
end

-- Tokens are greater than all that this lock has handed out and this client has seen.
local function reserve(lock, count, floor)
  local first = math.max(lock.last, floor) + 1
  lock.last = first + count - 1
  return first
end

-- A floor that the clock has not passed holds from now on for all claims of the lock, whether or not this one stays.
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

-- Grants waiting claims that fit, in arrival order, and tells their clients. Their ttl stays as it is: the refresh that
-- follows restarts it, and only its reply reports the grant.
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
  -- Even if no claim waits there may be a line, of claims that the server has dropped for lack of memory.
  lock.lined = lock.lined or lock.waiting == 0
  lock.waiting = lock.waiting == 0 and redis.call('ZCARD', lock.line) or lock.waiting + 1
  return lock.waiting - 1
end

-- Moves the claims in the lock's own record to separate records.
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

-- When a claim's ttl began. For a claim that was granted with its waiting ttl and has a longer ttl, the record shows a
-- time before it came.
local function armed(ends, life)
  return string.format('%016.0f ', math.max(0, ends - life))
end

local function as_sent(claim)
  return claim.id .. string.format(' %014.0f %014.0f %016.0f %s0 %s %.0f %.0f ', claim.ttl, claim.waiting, claim.floor,
    claim.keepable, claim.kind, claim.capacity, claim.weight) .. claim.channel .. ' ' .. claim.owner .. claim.value
end

-- The lock's own record.
local function record_of(lock)
  local first, second = lock.alone, lock.second
  if lock.records == 0 and lock.waiting == (second and 1 or 0) then
    if not first then
      return string.format('%s f %016.0f %016.0f', FORMAT, lock.last, expiry(lock))
    end
    local alone = first.state == 'g' and first.token == lock.last
    local head = armed(first.ends, first.ttl) .. string.format('%016.0f %016.0f ', lock.last, expiry(lock))
    if alone and not second then
      return FORMAT .. ' a ' .. head .. as_sent(first)
    end
    if alone and first.weight == lock.capacity and second.state == 'w' then
      local holder = as_sent(first)
      return FORMAT .. ' p ' .. head .. armed(second.ends, second.waiting)
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
  local longer = expiry(lock) > lock.expiry
  local lined = lock.lined or longer and lock.waiting > 0 and not lock.second
  local at = (longer or lined) and text(expiry(lock) / 1000 + EXPIRY_MILLIS)
  if longer then
    redis.call('PEXPIREAT', lock.key, at)
  end
  if lined then
    redis.call('PEXPIREAT', lock.line, at)
  end
end

-- Tokens that are reserved run ahead of the clock, but not far: then there are none to spare.
local function granted(lock, claim, asked)
  local spares = lock.last - now <= {SPARES.AHEAD} and asked.spares or 0
  local first = spares > 0 and reserve(lock, spares, asked.floor) or 0
  return { 'granted', text(claim.token), text(first), text(spares), '0' }
end

-- The claim that holds the lock alone, if its client may keep it idle. What else is exclusive was granted last.
local function only_keepable(lock)
  local newest = lock.holders == 1 and find(lock, lock.newest)
  return newest and newest.state == 'g' and newest.keepable == 'k' and newest
end

-- The next in line is to check when a holder may have died, every other claim when the claim before it may have.
local function queued(lock, claim)
  -- It has no rank if it has just come, or if the server has dropped the line for lack of memory.
  local rank = claim == lock.second and 0 or redis.call('ZRANK', lock.line, claim.id) or line_up(lock, claim)
  local watched = lock.soonest
  while rank > 0 do
    local id = redis.call('ZRANGE', lock.line, rank - 1, rank - 1)[1]
    local before = find(lock, id)
    if before then
      watched = before.ends
      break
    end
    -- The server has dropped that claim.
    lock.changed = true
    lock.waiting = lock.waiting - redis.call('ZREM', lock.line, id)
    rank = rank - 1
  end
  local keepable = rank == 0 and only_keepable(lock)
  return { 'queued', text(lock.holders + rank), text(math.max(0, watched - now)), keepable and '1' or '0' }
end

-- The reply tells the claim's client that others wait, so the claim is keepable no more.
local function tell_wanted(lock, claim, reply)
  promote(lock) -- a lower weight may have made room
  if lock.waiting > 0 then
    claim.keepable = ''
    put(lock, claim)
    reply[5] = '1'
  end
end

-- Restarts the ttl of a claim, takes over its weight and value, and reports how it stands. The client of a claim that
-- is or was keepable learns whether others wait.
local function rearm(lock, claim, asked, was_keepable)
  note(lock, asked)
  was_keepable = was_keepable or claim.keepable == 'k'
  local weight = math.min(claim.weight, asked.weight) -- more could exceed what others leave
  if claim.state == 'g' then
    lock.held = lock.held - claim.weight + weight
  end
  claim.weight = weight
  claim.floor = asked.floor
  claim.value = asked.value
  claim.channel = asked.channel
  claim.keepable = asked.keepable
  claim.ends = now + (claim.state == 'g' and asked.ttl or asked.waiting)
  put(lock, claim)
  if claim.state == 'g' then
    local reply = granted(lock, claim, asked)
    if was_keepable or claim.keepable == 'k' then
      tell_wanted(lock, claim, reply)
    end
    return reply
  end
  lock.asking = claim
  promote(lock)
  if claim.state == 'w' then
    return queued(lock, claim)
  end
  return rearm(lock, claim, asked, was_keepable)
end

-- A linger ends by itself, so the next in line must learn when: its client gets a message when the linger begins, or
-- when it becomes the next. A claim that asks in this step is answered anyway.
local function announce(lock, before)
  local id = lock.waiting > 0 and lock.lingers > now and next_in_line(lock)
  local claim = id and (id ~= before or lock.lingered) and find(lock, id)
  if claim and claim ~= lock.asking then
    redis.call('PUBLISH', claim.channel, lock.key)
  end
end

-- The claim in ARGV at this index and the next.
local function asked(from)
  return sent(ARGV[from], ARGV[from + 1])
end

-- One atomic step on a lock: removes expired claims, acts, grants waiting claims that fit. If nothing has changed, no
-- claim fits that did not before.
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

-- A damaged lock must not spoil the replies for the others.
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
