import type { CompletionPlace, Flag, Values } from "./places.ts";

/** For fish 3: one rule for each command and option. */
export function fishScript(places: readonly CompletionPlace[]): string {
	const below = places.filter(({ path }) => path.includes(" ")).map(({ path }) => quoted(path));
	return `# fish completion for ccg; made by 'ccg completion fish'
function __ccg_at
	set -l at ccg
	for word in (commandline -opc)[2..-1]
		contains -- "$at $word" ${below.join(" ")}; and set at "$at $word"
	end
	test "$at" = "$argv[1]"
end
complete -c ccg -f
${places.flatMap(rules).join("\n")}
`;
}

function rules({ path, commands, flags, argument }: CompletionPlace): string[] {
	const here = `complete -c ccg -n ${quoted(`__ccg_at '${path}'`)}`;
	return [
		...commands.map(({ name, about }) => `${here} -a ${quoted(name)} -d ${quoted(about)}`),
		...flags.map((flag) => `${here} ${names(flag)} -d ${quoted(flag.about)}${value(flag.value)}`),
		...(argument ? [`${here} ${filled(argument)}`] : []),
	];
}

const names = (flag: Flag): string =>
	flag.names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ");

const value = (values: Values | undefined): string =>
	values === undefined ? "" : ` -r ${filled(values)}`.replace(/^ -r (?=-a)/, " -x ");

function filled(values: Values): string {
	// -x below: a value, and no files beside it
	if (values === null) return "-f";
	if (values === "files") return "-F";
	if (values === "folders") return "-a '(__fish_complete_directories)'";
	if ("words" in values) return `-a ${quoted(values.words.join(" "))}`;
	return `-a '(ccg completion --names ${values.names} 2>/dev/null)'`;
}

/** One word for fish, where a backslash counts inside single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
