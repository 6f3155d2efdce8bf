// mod/launcher.ts
async function runHookEntry($, name, fields) {
  const { transcriptPath, promptId } = await $.session.info();
  const input = {
    session_id: await $.session.id(),
    transcript_path: transcriptPath,
    cwd: await $.session.cwd(),
    ...promptId && { prompt_id: promptId },
    ...fields
  };
  return runLauncher($, ["hook", name], JSON.stringify(input));
}
async function runLauncher($, args, stdin = "") {
  try {
    const isOwn = !"bin/ccg".startsWith("/");
    const launcher = isOwn ? `${$.plugin.root}/${"bin/ccg"}` : "bin/ccg";
    const words = isOwn && args[0] === "hook" ? [...args, "plugin"] : args;
    const env = {
      ...isOwn && { CLAUDE_PLUGIN_ROOT: $.plugin.root },
      CLAUDE_CODE_SESSION_ID: await $.session.id(),
      CLAUDE_PROJECT_DIR: await $.session.root(),
      ...""
    };
    const { exitCode, stdout } = await $.process.run([launcher, ...words], { stdin, env, timeoutMs: LIMIT_MS });
    return exitCode === 0 ? stdout.trim() : "";
  } catch {
    return "";
  }
}
var LIMIT_MS = 20000;

// mod/compaction.ts
var MOD = {};
async function prepare($, { trigger, instructions }, toolUseIds) {
  return runHookEntry($, "pre-compact", {
    hook_event_name: "PreCompact",
    trigger,
    custom_instructions: instructions ?? null,
    tool_calls: toolUseIds.map((id) => ({ tool_use_id: id })),
    mod: MOD
  });
}
async function compacted($, messages) {
  try {
    const said = await runHookEntry($, "mod-compacted", {
      hook_event_name: "ModCompacted",
      compact_summary: messages[0]?.text ?? "",
      mod: MOD
    });
    const { block, followUp, line } = said ? JSON.parse(said) : {};
    for (const text of [block, followUp])
      if (text)
        await append($, text);
    if (line)
      await $.clock.after(SETTLED_MS, () => $.ui.log(line.replace(/^ccg: /, "")));
  } catch {}
}
var SETTLED_MS = 1000;
async function append($, text) {
  await $.session.append({ message: { type: "user", content: [{ type: "text", text }] } });
}

// src/core/pressure/pressure.ts
function pressureOf(tokens, trigger, rule) {
  const distance = tokens === null || trigger.tokens === null ? null : trigger.tokens - tokens;
  const due = isDue(tokens, trigger, distance, rule);
  return {
    tokens,
    window: trigger.window,
    trigger: trigger.tokens,
    why: trigger.why,
    distance,
    zone: zoneOf(tokens, trigger, distance, due, rule),
    due
  };
}
function isDue(tokens, trigger, distance, rule) {
  if (tokens === null)
    return false;
  if (rule.rule === "percent")
    return tokens * 100 / trigger.window > rule.percent;
  if (distance === null || trigger.tokens === null)
    return false;
  return distance <= rule.headroomTokens && tokens >= rule.minUsedShare * trigger.tokens;
}
function zoneOf(tokens, trigger, distance, due, rule) {
  if (tokens === null)
    return "unknown";
  if (distance === null || trigger.tokens === null)
    return due ? "flush" : "none";
  if (distance <= rule.headroomTokens / 4)
    return "imminent";
  if (due)
    return "flush";
  return distance <= rule.headroomTokens * 2 && tokens >= rule.minUsedShare * trigger.tokens ? "watch" : "calm";
}

// mod/watch.ts
function isTimeToMeasure(watch, tokens, window) {
  if (watch.window !== window || tokens < watch.tokens / 2)
    return true;
  return watch.nextTokens !== null && tokens >= watch.nextTokens;
}
function zoneOf2({ trigger, compactionWindow, rule }, tokens) {
  const place = { tokens: trigger, window: compactionWindow, why: "told by Claude Code", observedKey: "" };
  return pressureOf(tokens, place, rule).zone;
}
function bandText(watch, tokens) {
  const { trigger, compactionWindow } = watch;
  const limit = trigger ?? compactionWindow;
  const zone = zoneOf2(watch, tokens);
  if (zone === "calm")
    return;
  const left = `${thousands(Math.max(0, limit - tokens))}k left of ${thousands(limit)}k`;
  return `${left}, ${trigger === null ? "no auto-compaction" : zone}`;
}
var thousands = (tokens) => Math.round(tokens / 1000);

// mod/measure.ts
var watch = null;
var isMeasuring = false;
var askFrom = 0;
var isMeasured = () => watch !== null;
function startOver($) {
  watch = null;
  askFrom = 0;
  $.ui.status(undefined);
}
async function measureAt($, { tokens, window }, quiet = false) {
  if (tokens === undefined || isMeasuring)
    return null;
  isMeasuring = true;
  try {
    const nudge = !quiet && isTime(tokens, window) ? await measure($, tokens, window) : null;
    if (watch)
      $.ui.status(watch.hasStatusLine ? undefined : bandText(watch, tokens));
    return nudge;
  } catch {
    watch = null;
    return null;
  } finally {
    isMeasuring = false;
  }
}
var isTime = (tokens, window) => watch ? isTimeToMeasure(watch, tokens, window) : tokens >= askFrom;
async function measure($, tokens, window) {
  const { breakdown } = (await $.session.usage({ breakdown: "summary" })).context;
  if (!breakdown)
    return null;
  const trigger = breakdown.isAutoCompactEnabled ? breakdown.autoCompactThreshold ?? null : null;
  const compactionWindow = breakdown.rawMaxTokens;
  const { version } = await $.session.version();
  const mod = { tokens, trigger, window: compactionWindow, claudeVersion: version };
  const said = await runHookEntry($, "mod-measure", { hook_event_name: "ModMeasure", mod });
  watch = null;
  askFrom = tokens + WAIT_TOKENS;
  if (!said)
    return null;
  const { nudge, ...rest } = JSON.parse(said);
  watch = { tokens, window, trigger, compactionWindow, ...rest };
  return nudge;
}
var WAIT_TOKENS = 5000;

// mod/versions.ts
var MOD_VERSIONS = ["2.1.330"];

// mod/register.ts
var isOn = false;
var signs = 0;
var lastBatch = [];
async function begin($) {
  await $.env.set("CCG_MOD", undefined);
  const { version, base } = await $.session.version();
  isOn = MOD_VERSIONS.includes(base ?? version);
  if (isOn)
    await $.command.register({
      name: "ccg",
      description: "What ccg knows of this session; 'report' tells what the last compaction lost",
      argumentHint: "[status|report]"
    });
}
function register(on) {
  on("session.start", async ($, e, next) => {
    try {
      await begin($);
    } catch {
      isOn = false;
    }
    return next(e);
  });
  on("tool.call", async ($, e, next) => {
    const result = await next(e);
    if (!isOn || e.agentId || result.deny !== undefined)
      return result;
    const nudge = await measureAt($, (await $.session.usage()).context);
    return nudge ? { ...result, context: [...result.context ?? [], nudge] } : result;
  });
  on("classic.SessionStart", async ($, e, next) => {
    if (isOn && e.source !== "compact")
      startOver($);
    return next(e);
  });
  on("classic.PostToolBatch", async ($, e, next) => {
    if (!e.agent_id)
      lastBatch = (e.tool_calls ?? []).flatMap(({ tool_use_id: id }) => id ?? []);
    if (!isOn || !isMeasured())
      return next(e);
    signs++;
    await $.env.set("CCG_MOD", await $.session.id());
    try {
      return await next(e);
    } finally {
      if (--signs === 0)
        await $.env.set("CCG_MOD", undefined);
    }
  });
  on("session.measure", async ($, e, next) => {
    if (isOn)
      await measureAt($, e.context, true);
    return next(e);
  });
  on("session.compact", async ($, e, next) => {
    if (!isOn || e.agentId || e.trigger === "precompute")
      return next(e);
    const steering = await prepare($, e, lastBatch);
    const result = await next(steering ? { ...e, instructions: [e.instructions, steering].filter(Boolean).join(`

`) } : e);
    startOver($);
    if (result.messages)
      await compacted($, result.messages);
    return result;
  });
  on("command.run", { command: "ccg" }, async ($, e) => {
    const command = e.args.trim() === "report" ? "report" : "status";
    const text = await runLauncher($, [command, "--session", await $.session.id()]);
    return { text: text || `ccg ${command} gave nothing; try it in a terminal`, isTextDisplayOnly: true };
  });
}
export {
  register
};
