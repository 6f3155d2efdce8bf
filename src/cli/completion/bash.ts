import { quoted } from "../../install/shell-word.ts";
import type { CompletionPlace, Values } from "./places.ts";

/** For bash 3.2 and later: without associative arrays and without the bash-completion package. */
export function bashScript(places: readonly CompletionPlace[]): string {
	const below = places.filter(({ path }) => path.includes(" ")).map(({ path }) => quoted(path));
	const values = places.flatMap(({ path, flags }) =>
		flags.flatMap(({ names, value }) =>
			value === undefined
				? []
				: [`\t${names.map((name) => quoted(`${path} ${name}`)).join("|")}) ${filled(value)}; return ;;`],
		),
	);
	const words = places.map(({ path, commands, flags, argument }) => {
		const options = `COMPREPLY=($(compgen -W ${quoted(flags.flatMap(({ names }) => names).join(" "))} -- "$cur"))`;
		if (commands.length === 0 && argument === null) return `\t${quoted(path)}) ${options} ;;`;
		const names = quoted(commands.map(({ name }) => name).join(" "));
		const first = commands.length > 0 ? `COMPREPLY=($(compgen -W ${names} -- "$cur"))` : filled(argument);
		return `\t${quoted(path)}) case $cur in -*) ${options} ;; *) ${first} ;; esac ;;`;
	});
	return `# bash completion for ccg; made by 'ccg completion bash'
_ccg() {
	local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path=ccg i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$path \${COMP_WORDS[i]}" in
		${below.join("|")}) path="$path \${COMP_WORDS[i]}" ;;
		esac
	done
	COMPREPLY=()
	case "$path $prev" in
${values.join("\n")}
	esac
	case $path in
${words.join("\n")}
	esac
}
complete -F _ccg ccg
`;
}

function filled(values: Values): string {
	if (values === null) return ":";
	if (values === "files") return 'COMPREPLY=($(compgen -f -- "$cur"))';
	if (values === "folders") return 'COMPREPLY=($(compgen -d -- "$cur"))';
	const asked =
		"names" in values
			? `"$("\${COMP_WORDS[0]}" completion --names ${values.names} 2>/dev/null)"`
			: quoted(values.words.join(" "));
	return `COMPREPLY=($(compgen -W ${asked} -- "$cur"))`;
}
