import { isOn } from "../core/pressure/model.ts";
import { effective, isBoolean, isObject, type SettingsFile } from "../install/settings-sources.ts";
import type { Env } from "../store/paths.ts";
import type { DoctorCheck } from "./check.ts";

/** Switches of compaction that do something else than they seem to. */
export function checkCompaction(sources: readonly SettingsFile[], env: Env): DoctorCheck[] {
	const places = placesOf(sources, env);
	return [...checkWindow(places), ...checkPercent(places), checkOn(places, sources)];
}

/** Where environment variables come from: the process, or the `env` block of a settings file. */
interface CompactionPlace {
	name: string;
	env: Record<string, unknown>;
}

function placesOf(sources: readonly SettingsFile[], env: Env): CompactionPlace[] {
	const blocks = sources.flatMap(({ path, settings }) =>
		isObject(settings?.env) ? [{ name: `"env" in ${path}`, env: settings.env }] : [],
	);
	return [{ name: "the environment", env }, ...blocks];
}

const WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
const PERCENT = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE";

/** Measured on 2.1.329: anything but digits is ignored, a number out of range is moved to its edge. */
function checkWindow(places: CompactionPlace[]): DoctorCheck[] {
	return settingsOf(places, WINDOW).flatMap(({ value, where }) => {
		const check = { id: "compaction.window", title: "window", status: "warn" as const };
		if (!/^\d+$/.test(value.trim())) {
			const detail = `${WINDOW}=${value} in ${where} is no plain number, so Claude Code ignores it`;
			return [{ ...check, detail, fix: "write the tokens as digits, such as 500000" }];
		}
		const tokens = Number(value);
		if (tokens >= 100_000 && tokens <= 1_000_000) return [];
		const detail = `${WINDOW}=${value} in ${where} counts as ${tokens < 100_000 ? "100000" : "1000000"}`;
		return [{ ...check, detail, fix: "use 100000 to 1000000" }];
	});
}

function checkPercent(places: CompactionPlace[]): DoctorCheck[] {
	return settingsOf(places, PERCENT).flatMap(({ value, where }) => {
		const percent = Number(value);
		if (value.trim() !== "" && percent >= 1 && percent <= 100) return [];
		const detail = `${PERCENT}=${value} in ${where} is not within 1 to 100`;
		return [{ id: "compaction.percent", status: "warn", title: "percent", detail, fix: "use 1 to 100, or unset it" }];
	});
}

function checkOn(places: CompactionPlace[], sources: readonly SettingsFile[]): DoctorCheck {
	const check = { id: "compaction.auto", title: "auto-compaction" };
	const off = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].flatMap((name) =>
		settingsOf(places, name).flatMap(({ value, where }) => (isOn(value) ? [`${name} in ${where}`] : [])),
	);
	const setting = effective(sources, "autoCompactEnabled", isBoolean);
	if (setting?.value === false) off.push(`autoCompactEnabled in ${setting.source.path}`);
	if (off.length === 0) return { ...check, status: "ok", detail: "on" };
	const detail = `off (${off.join(", ")}): no compaction by itself, so no nudge`;
	return { ...check, status: "info", detail };
}

function settingsOf(places: CompactionPlace[], name: string): { value: string; where: string }[] {
	return places.flatMap(({ name: where, env }) => {
		const value = env[name];
		return value === undefined || value === null || value === "" ? [] : [{ value: String(value), where }];
	});
}
