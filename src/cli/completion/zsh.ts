import { quoted } from "../../install/shell-word.ts";
import type { CompletionPlace, Flag, Values } from "./places.ts";

/** For zsh with compinit; works sourced and as the file `_ccg` on fpath. */
export function zshScript(places: readonly CompletionPlace[]): string {
	const below = places.filter(({ path }) => path.includes(" ")).map(({ path }) => quoted(path));
	return `#compdef ccg
# zsh completion for ccg; made by 'ccg completion zsh'
_ccg() {
	local at=ccg i
	local -a found
	for ((i = 2; i < CURRENT; i++)); do
		case "$at \${words[i]}" in
		${below.join("|")}) at="$at \${words[i]}" ;;
		esac
	done
	case "$at \${words[CURRENT-1]}" in
${places.flatMap(({ path, flags }) => flags.flatMap((flag) => valueLine(path, flag))).join("\n")}
	esac
	case $at in
${places.map(placeLines).join("\n")}
	esac
}
if [ "\${funcstack[1]}" = _ccg ]; then _ccg "$@"; else compdef _ccg ccg; fi
`;
}

function valueLine(path: string, { names, value }: Flag): string[] {
	if (value === undefined) return [];
	return [`\t${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${filled(value)}; return ;;`];
}

function placeLines({ path, commands, flags, argument }: CompletionPlace): string {
	const lines = [`\t${quoted(path)})`];
	const described = (name: string, about: string): string => quoted(`${name}:${about.replaceAll("\n", " ")}`);
	if (commands.length)
		lines.push(
			`\t\tfound=(${commands.map(({ name, about }) => described(name, about)).join(" ")})`,
			"\t\t_describe command found",
		);
	lines.push(
		`\t\tfound=(${flags.flatMap(({ names, about }) => names.map((name) => described(name, about))).join(" ")})`,
		"\t\t_describe -o option found",
	);
	if (argument) lines.push(`\t\t${filled(argument)}`);
	return [...lines, "\t\t;;"].join("\n");
}

function filled(values: Values): string {
	if (values === null) return ":";
	if (values === "files") return "_files";
	if (values === "folders") return "_files -/";
	if ("words" in values) return `compadd -- ${values.words.map(quoted).join(" ")}`;
	return `compadd -- \${(f)"$(\${words[1]} completion --names ${values.names} 2>/dev/null)"}`;
}
