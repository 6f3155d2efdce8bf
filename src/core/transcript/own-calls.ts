/** Whether a tool call runs ccg and nothing else: a tool of its server, its skill, a command of the shell. */
export const isOwnCall = (tool: string, input: Readonly<Record<string, unknown>>): boolean =>
	/^mcp__(?:plugin_ccg_)?ccg__/.test(tool) ||
	(tool === "Skill" && /^ccg:/.test(String(input.skill))) ||
	(typeof input.command === "string" && runsOnlyCcg(input.command));

/** Whether a message is a slash command of ccg, or `! ccg …`. */
export const isMessageToCcg = (text: string): boolean =>
	text === "/ccg" || text.startsWith("/ccg:") || (text.startsWith("! ") && runsOnlyCcg(text.slice(2)));

/** Whether a text that no person typed is the prompt of a slash command of ccg: it holds a command line of ccg. */
export const isOwnPrompt = (text: string): boolean => /(?:^ {4}|`)(?:'[^'`\n]*\/|[^\s`']*\/)?ccg'? [a-z]/m.test(text);

/** A shell command behind the signs that part it from the one before it. A text between quotes is one word. */
const COMMAND_PART = /(?<![;&|\n])([;&|\s]*)((?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[<>&]?>&?|[^;&|\n"'\\>])+)/g;
const VARIABLE_SETTINGS = /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])*\s+)+/;
const PROGRAM = /^(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/;
const OUTPUT_READER = /^(?:cat|head|tail|grep|wc|jq|less)(?=\s|$)/;
const FILE_REDIRECT = />(?!&\d|\s*\/dev\/null(?:\s|$))/;
const MAX_COMMAND = 16 * 1024;

/** Whether a shell command runs ccg and nothing else, but for `cd` and a reader of its output. It must write no file. */
function runsOnlyCcg(command: string): boolean {
	if (!command.includes("ccg") || command.length > MAX_COMMAND) return false;
	const parts = [...command.matchAll(COMMAND_PART)].map(([, sign = "", part = ""]) => ({ sign: sign.trim(), part }));
	const isCcg = ({ part }: { part: string }): boolean => {
		const [program = ""] = PROGRAM.exec(part.replace(VARIABLE_SETTINGS, "")) ?? [];
		return /(?:^|\/)ccg$/.test(program.replace(/["'\\]/g, "")) && !/`|\$\(/.test(part.replace(/'[^']*'/g, ""));
	};
	const isAllowedBeside = ({ sign, part }: { sign: string; part: string }): boolean =>
		sign === "|" ? OUTPUT_READER.test(part) : /^cd(?=\s|$)/.test(part);
	if (FILE_REDIRECT.test(command.replace(/"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]/g, ""))) return false;
	return parts.some(isCcg) && parts.every((part) => isCcg(part) || isAllowedBeside(part));
}
