-- How Argo CD sees an object of rolecall.dev, one check for every kind. What was said of an older generation says nothing of this one:
-- an object is healthy only once the operator has seen its present spec and brought the workspace in line with it.
local health = { status = "Progressing", message = "The operator has not seen it yet." }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end

local ready, stalled
for _, condition in ipairs(status.conditions) do
  -- Absent, it is about the generation of the whole status.
  if condition.observedGeneration == nil or condition.observedGeneration == obj.metadata.generation then
    if condition.type == "Ready" then ready = condition end
    if condition.type == "Stalled" and condition.status == "True" then stalled = condition end
  end
end
if ready == nil then
  return health
end

health.message = ready.message
if stalled ~= nil then
  health.status = "Degraded"
  health.message = stalled.message
elseif ready.status == "True" then
  health.status = "Healthy"
elseif ready.reason == "Paused" or ready.reason == "ChangesPending" then
  -- Someone has paused it, or only observes it.
  health.status = "Suspended"
end
return health
