/** Whether a tool call runs ccg and nothing else: a tool of its server, its skill, a command of the shell. */
export const isOwnCall = (tool: string, input: Readonly<Record<string, unknown>>): boolean =>
	/^mcp__(?:plugin_ccg_)?ccg__/.test(tool) ||
	(tool === "Skill" && /^ccg:/.test(String(input.skill))) ||
	(typeof input.command === "string" && runsOwn(input.command));

/** Whether a message is a slash command of ccg's, or `! ccg …`. */
export const isOwnMessage = (text: string): boolean =>
	text.startsWith("/ccg:") || (text.startsWith("! ") && runsOwn(text.slice(2)));

/** Whether a text that no person typed is what a slash command of ccg's tells the agent: it names a command of ccg. */
export const isOwnPrompt = (text: string): boolean => /(?:^ {4}|`)(?:'[^'`\n]*\/|[^\s`']*\/)?ccg'? [a-z]/m.test(text);

/** A shell command behind the signs that part it from the one before it. A text between quotes is one word. */
const PART = /(?<![;&|\n])([;&|\s]*)((?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[<>&]?>&?|[^;&|\n"'\\>])+)/g;
const SETTING = /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])*\s+)+/;
const PROGRAM = /^(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/;
/** What reads a part of an answer. */
const READER = /^(?:cat|head|tail|grep|wc|jq|less)(?=\s|$)/;
/** Writes a file. */
const REDIRECT = />(?!&\d|\s*\/dev\/null(?:\s|$))/;
const MAX_COMMAND = 64 * 1024;

function runsOwn(command: string): boolean {
	if (!command.includes("ccg") || command.length > MAX_COMMAND) return false;
	const parts = [...command.matchAll(PART)].map(([, sign = "", part = ""]) => ({ sign: sign.trim(), part }));
	const isOwn = ({ part }: { part: string }): boolean => {
		const [program = ""] = PROGRAM.exec(part.replace(SETTING, "")) ?? [];
		return /(?:^|\/)ccg$/.test(program.replace(/["'\\]/g, "")) && !/`|\$\(/.test(part.replace(/'[^']*'/g, ""));
	};
	const isBeside = ({ sign, part }: { sign: string; part: string }): boolean =>
		sign === "|" ? READER.test(part) : /^cd(?=\s|$)/.test(part);
	if (REDIRECT.test(command.replace(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]/g, ""))) return false;
	return parts.some(isOwn) && parts.every((one) => isOwn(one) || isBeside(one));
}
