import { effective, isBoolean, readSources, type SettingsFile, type SettingsPlace } from "./settings-sources.ts";

/** A setting that decides whether hooks run at all; `fail`: with it none of ccg's do. */
export interface SwitchFinding {
	id: string;
	status: "ok" | "warn" | "fail";
	title: string;
	detail: string;
	fix?: string | undefined;
}

/** What in the settings of `cwd` switches all hooks off, ccg's included, whatever is registered. */
export function hookSwitches(place: SettingsPlace): SwitchFinding[] {
	return switchFindings(readSources(place), false).filter(({ status }) => status === "fail");
}

/** `isOursManaged`: ccg is registered in managed settings. */
export function switchFindings(sources: readonly SettingsFile[], isOursManaged: boolean): SwitchFinding[] {
	return [checkDisabled(sources), ...checkManagedOnly(sources, isOursManaged), ...checkPluginOnly(sources)];
}

function checkDisabled(sources: readonly SettingsFile[]): SwitchFinding {
	const check = { id: "blockers.disableAllHooks", title: "disableAllHooks" };
	const found = effective(sources, "disableAllHooks", isBoolean);
	if (!found?.value) return { ...check, status: "ok", detail: found ? `false in ${found.source.path}` : "not set" };
	const { scope, path } = found.source;
	const except = scope === "managed" ? "" : " but managed ones";
	return {
		...check,
		status: "fail",
		detail: `true in ${path}: no hook${except} and no status line runs`,
		fix: scope === "managed" ? "tell whoever manages this machine" : `take "disableAllHooks" out of ${path}`,
	};
}

/** Only managed settings can say this. */
function checkManagedOnly(sources: readonly SettingsFile[], isOursManaged: boolean): SwitchFinding[] {
	const managed = sources.filter(({ scope }) => scope === "managed");
	const found = effective(managed, "allowManagedHooksOnly", isBoolean);
	if (!found?.value) return [];
	return [
		{
			id: "blockers.allowManagedHooksOnly",
			status: isOursManaged ? "warn" : "fail",
			title: "allowManagedHooksOnly",
			detail: `true in ${found.source.path}: hooks and status lines of other settings files do not run`,
			fix: "ask whoever manages this machine to register ccg there",
		},
	];
}

function checkPluginOnly(sources: readonly SettingsFile[]): SwitchFinding[] {
	const blocks = (value: unknown): value is unknown =>
		value === true || (Array.isArray(value) && value.includes("hooks"));
	const found = effective(sources, "strictPluginOnlyCustomization", blocks);
	if (!found) return [];
	return [
		{
			id: "blockers.strictPluginOnlyCustomization",
			status: "fail",
			title: "strictPluginOnlyCustomization",
			detail: `set in ${found.source.path}: hooks of settings files do not run, only those of plugins`,
			fix: "ask whoever manages this machine",
		},
	];
}
