import type { Command, CommandNode, ParsedScript, PipelineNode, Redirection, Statement, TestExpression } from "unbash";
import { COMPARES_NUMBERS, isNumberWord, isSum } from "./shell-arithmetic.ts";
import { type Expansions, MAX_SUM_CHARS, walkParts, walkPattern, walkSum, walkWord } from "./shell-expansions.ts";
import { isOwnName } from "./shell-names.ts";
import { parseShell } from "./shell-parse.ts";
import { variablesOf } from "./shell-variables.ts";
import { type ShellWord, shellWord, type Variables } from "./shell-word.ts";

/** A command with its words, the first its name. */
export interface SimpleCommand {
	words: ShellWord[];
	/** What stands before it, for it alone. */
	settings: { name: string; value: ShellWord }[];
	/** Stands in a loop. */
	isRepeated: boolean;
}

/** All commands of a shell text, those of its blocks and substitutions too, and what its expansions can be. */
export interface ShellText {
	commands: SimpleCommand[];
	variables: Variables;
}

/** What a shell has from its environment. */
export interface Environment {
	home: string;
	/** Whether a variable of that name is in it. */
	isSet(name: string): boolean;
}

/**
 * Reads a shell text. `null` where it does itself what may change something (redirection into a file, background,
 * functions, variables that programs heed), or what can't be followed.
 */
export function readShell(text: string, around?: Environment): ShellText | null {
	const script = parseShell(text);
	if (!script) return null;
	const walk = new Walk();
	if (!walk.script(script, false)) return null;
	const { given, sums } = walk;
	if (!given.every(({ name }) => isOwnName(name, around?.isSet ?? (() => false)))) return null;
	const variables = variablesOf(given, around?.home);
	const isReckoned = sums.every((sum) => (sum.type === "Word" ? isNumberWord(sum, variables) : isSum(sum, variables)));
	if (!isReckoned) return null;
	const commands = walk.commands.map(({ node, isRepeated }) => ({
		words: [node.name!, ...node.args].map((word) =>
			shellWord(word as Extract<typeof word, { type: "Word" }>, variables),
		),
		settings: node.prefix.flatMap((one) =>
			one.type === "Assignment" && one.value.type === "Word"
				? [{ name: one.name, value: shellWord(one.value, variables) }]
				: [],
		),
		isRepeated,
	}));
	return { commands, variables };
}

/** Goes through the tree once; each step is false where the text may change something by itself. */
class Walk {
	commands: { node: Command; isRepeated: boolean }[] = [];
	words = 0;
	/** Loops around what is walked. */
	loops = 0;
	found: Expansions = { given: [], sums: [], script: (script) => this.script(script, true) };
	get given() {
		return this.found.given;
	}
	get sums() {
		return this.found.sums;
	}

	script(script: ParsedScript, isSubstituted: boolean): boolean {
		if (script.errors?.length) return false;
		const [only] = script.commands;
		// `$(< file)`
		if (isSubstituted && script.commands.length === 1 && only!.command.type === "Command" && !only!.background) {
			const { name, prefix } = only!.command;
			if (!name && prefix.length === 1 && prefix[0]!.type === "Redirect" && prefix[0]!.operator === "<")
				return this.redirection(prefix[0]!);
		}
		return this.list(script.commands);
	}

	list(statements: readonly Statement[]): boolean {
		return statements.every(({ command, background }) => !background && this.pipeline(command));
	}

	pipeline(node: Statement["command"] | PipelineNode): boolean {
		if (node.type === "AndOr") return node.commands.every((one) => this.pipeline(one));
		return node.type === "Pipeline" ? node.commands.every((one) => this.command(one)) : this.command(node);
	}

	command(node: CommandNode): boolean {
		const inside = (...bodies: { commands: readonly Statement[] }[]): boolean =>
			bodies.every(({ commands }) => this.list(commands));
		const looped = (...bodies: { commands: readonly Statement[] }[]): boolean => {
			this.loops++;
			const isFine = inside(...bodies);
			this.loops--;
			return isFine;
		};
		switch (node.type) {
			case "Command":
				return this.simple(node);
			case "Redirected":
				return this.command(node.command) && node.redirects.every((one) => this.redirection(one));
			case "BraceGroup":
			case "Subshell":
				return inside(node.body);
			case "If":
				return (
					inside(node.clause, node.then, ...(node.else ? [node.else] : [])) &&
					node.elif.every((one) => inside(one.clause, one.then))
				);
			case "While":
				return looped(node.clause, node.body);
			case "For":
				this.words += node.wordlist?.length ?? 0;
				if (this.words > MAX_WORDS) return false;
				this.given.push({ name: node.name.text, ...(node.wordlist ? { words: node.wordlist } : {}) });
				return (node.wordlist ?? []).every((word) => walkWord(word, this.found)) && looped(node.body);
			case "ArithmeticFor":
				if (node.body.pos - node.pos > MAX_SUM_CHARS) return false;
				return [node.initialize, node.test, node.update].every((sum) => walkSum(sum, this.found)) && looped(node.body);
			case "ArithmeticCommand":
				return node.body.length <= MAX_SUM_CHARS && walkSum(node.expression, this.found);
			case "Case":
				return (
					walkWord(node.word, this.found) &&
					node.items.every(({ pattern, body }) => pattern.every((word) => walkWord(word, this.found)) && inside(body))
				);
			case "TestCommand":
				return this.test(node.expression);
			default:
				return false;
		}
	}

	simple(node: Command): boolean {
		this.words += 1 + node.prefix.length + node.suffix.length;
		if (this.words > MAX_WORDS) return false;
		for (const one of node.prefix) {
			if (one.type !== "Assignment") {
				if (!this.redirection(one)) return false;
				continue;
			}
			if (one.index && !/^\d+$/.test(one.index.text)) return false;
			const isList = one.value.type === "ArrayValue";
			const words = one.value.type === "ArrayValue" ? one.value.elements : [one.value];
			if (!words.every((word) => walkWord(word, this.found))) return false;
			if (node.name) {
				if (isList || one.append || one.index) return false;
			} else if (isList || one.append || one.index) this.given.push({ name: one.name });
			else this.given.push({ name: one.name, words });
		}
		for (const one of node.suffix) {
			if (one.type === "Assignment") return false;
			if (one.type === "Word" ? !walkWord(one, this.found) : !this.redirection(one)) return false;
		}
		// a redirection alone: zsh shows the file in a pager
		if (!node.name) return node.prefix.some(({ type }) => type === "Assignment");
		if (!walkWord(node.name, this.found)) return false;
		this.given.push(...setByCommand(node));
		this.commands.push({ node, isRepeated: this.loops > 0 });
		return true;
	}

	redirection(one: Redirection): boolean {
		if (one.descriptor?.type === "FileDescriptorVariable") return false;
		if (one.type === "HereDoc") {
			const { delimiter, closing, body } = one;
			if (!closing || !delimiter || !/^(?:[\w.-]+|'[\w.-]+'|"[\w.-]+"|\\\w+)$/.test(delimiter.text)) return false;
			return delimiter.quoted || !body.parts || walkParts(body.parts, this.found);
		}
		if (!one.target || !walkWord(one.target, this.found)) return false;
		if (one.type === "HereString") return true;
		const { text, start } = shellWord(one.target, NONE);
		switch (one.operator) {
			case "<":
				// bash opens a connection
				return !/^\/+dev\/+(?:tcp|udp)\b/.test(start);
			case ">":
			case ">>":
			case ">|":
			case "&>":
			case "&>>":
				return text !== null && NOWHERE.test(text);
			case ">&":
			case "<&":
				return text !== null && (/^(?:\d|-)$/.test(text) || (one.operator === ">&" && NOWHERE.test(text)));
			default:
				return false;
		}
	}

	test(expression: TestExpression): boolean {
		switch (expression.type) {
			case "TestGroup":
				return this.test(expression.expression);
			case "TestNot":
				return this.test(expression.operand);
			case "TestLogical":
				return expression.operands.every((one) => this.test(one));
			case "TestUnary":
				// names of variables, whose index is reckoned
				return !/^-[vR]$/.test(expression.operator) && walkWord(expression.operand, this.found);
			case "TestBinary":
				if (COMPARES_NUMBERS.test(expression.operator)) this.sums.push(expression.left, expression.right);
				return (
					walkWord(expression.left, this.found) &&
					(expression.operator === "=~"
						? walkPattern(expression.right, this.found)
						: walkWord(expression.right, this.found))
				);
		}
	}
}

/** With more of them a command is not judged: that would take long. */
const MAX_WORDS = 1_000;

const NOWHERE = /^\/dev\/(?:null|stdout|stderr)$/;

const NONE: Variables = variablesOf([]);

/** `read` and its like. Their options are judged where programs are. */
function setByCommand({ name, args }: Command): { name: string }[] {
	if (!/^(?:read|mapfile|readarray)$/.test(name!.value)) return [];
	return args
		.map((one) => (one.type === "Word" ? one.value : one.name))
		.filter((word) => /^[A-Za-z_]\w*$/.test(word))
		.map((one) => ({ name: one }));
}
