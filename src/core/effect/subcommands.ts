import type { OptionForm } from "./program-options.ts";

const LIST: OptionForm = {
	flags: "aqlnwAvfths",
	valued: "nfo",
	long: "all quiet no-trunc filter= format= last= size latest json",
};
const KUBE: OptionForm = {
	flags: "Awfph",
	valued: "nolcLf",
	long:
		"all-namespaces namespace= output= selector= show-labels no-headers sort-by= field-selector= watch timestamps tail= since= " +
		"container= previous context= all-containers follow client short show-events minify containers recursive api-group= namespaced verbs=",
};
const HUB: OptionForm = {
	flags: "cav",
	valued: "LsRqtSAlBbjeuH",
	long:
		"json= jq= template= limit= state= repo= comments author= assignee= label= base= head= search= name-only patch color= required watch " +
		"interval= branch= workflow= status= user= event= commit= job= log log-failed verbose exit-status fail-fast attempt= all " +
		"order= sort= owner= language= visibility= source fork archived no-archived created= draft milestone= app= active hostname= conflict-status",
};
const NPM: OptionForm = {
	flags: "gla",
	long: "depth= all json long parseable global prod production omit= include= link location= workspaces",
};
const PIP: OptionForm = {
	flags: "oufl",
	long: "outdated uptodate format= user not-required local files exclude= editable include-editable",
};
const GO: OptionForm = {
	exact: /^-(?:m|json|deps|test|u|versions|find|e|f|all|short|src|c)$/,
	operand: ({ start }) => start !== "",
};

/** What of a program's subcommands only reads, by its first words. */
export const SUBCOMMANDS: Record<string, Record<string, OptionForm>> = {
	docker: containers(),
	podman: containers(),
	"docker-compose": {
		ps: LIST,
		ls: LIST,
		images: LIST,
		top: LIST,
		logs: { flags: "ft", valued: "n", long: "follow tail= timestamps since= until= no-color no-log-prefix" },
	},
	kubectl: {
		get: KUBE,
		describe: KUBE,
		logs: KUBE,
		top: KUBE,
		version: KUBE,
		explain: KUBE,
		events: KUBE,
		"api-resources": KUBE,
		"api-versions": KUBE,
		"cluster-info": { operands: 0 },
		"config view": KUBE,
		"config get-contexts": KUBE,
		"config get-clusters": KUBE,
		"config current-context": KUBE,
		"rollout status": KUBE,
		"rollout history": KUBE,
		"auth can-i": KUBE,
		"auth whoami": KUBE,
	},
	helm: { list: LIST, ls: LIST, status: LIST, history: LIST },
	gh: {
		...Object.fromEntries(
			(
				"pr view,pr list,pr status,pr checks,pr diff,issue view,issue list,issue status,run list,run view,repo view,repo list," +
				"release list,release view,workflow list,workflow view,label list,gist list,gist view,auth status,search repos," +
				"search issues,search prs,search code,search commits,secret list,variable list,cache list,ruleset list,project list,project view,status"
			)
				.split(",")
				.map((name) => [name, HUB]),
		),
		// a request with fields is sent as POST
		api: {
			valued: "HqtpR",
			flags: "i",
			long: "jq= paginate slurp template= header= hostname= include silent preview=",
			operands: 1,
		},
	},
	npm: {
		...Object.fromEntries(
			"ls,list,ll,view,info,show,outdated,why,explain,root,prefix,bin,config get,config list,config ls,ping,search"
				.split(",")
				.map((name) => [name, NPM]),
		),
		run: { operands: 0 },
	},
	pip: pips(),
	pip3: pips(),
	uv: { "pip list": PIP, "pip show": PIP, "pip freeze": PIP, "python list": {}, "tool list": {} },
	go: {
		env: { operand: ({ text }) => text !== null && /^\w+$/.test(text) },
		list: GO,
		doc: GO,
	},
	// builds nothing, but writes Cargo.lock where it may; that a folder's file names its rustc is asked for elsewhere
	cargo: {
		tree: {
			needs: ["--locked", "--frozen"],
			flags: "diqv",
			valued: "epfF",
			long:
				"duplicates invert edges= package= workspace exclude= depth= prefix= no-dedupe charset= format= target= features= all-features " +
				"no-default-features locked offline frozen quiet verbose color=",
		},
	},
	rustup: { show: {}, "toolchain list": {}, "target list": {} },
	brew: { list: LIST, "--prefix": {} },
	systemctl: Object.fromEntries(
		"status,is-active,is-enabled,is-failed,list-units,list-unit-files,list-timers,show,cat"
			.split(",")
			.map((name) => [
				name,
				{ flags: "laqn", valued: "tpn", long: "no-pager user all type= state= failed lines= full property=" },
			]),
	),
	apt: { list: { long: "installed upgradable" }, show: {}, search: {}, policy: {} },
	"apt-cache": { policy: {}, show: {}, search: {}, depends: {} },
	ip: Object.fromEntries(
		["a", "addr", "address", "r", "route", "link", "l", "neigh"].flatMap((name) => [
			[name, { flags: "46", operands: 0 }],
			[`${name} show`, {}],
			[`${name} list`, {}],
			[`${name} ls`, {}],
		]),
	),
	defaults: { read: {} },
	tmux: { ls: { operands: 0 }, "list-sessions": { operands: 0 } },
	launchctl: { list: {} },
	nvm: { ls: {}, list: {}, current: {} },
	pyenv: { version: {}, versions: {}, root: {} },
	xcodebuild: { "-version": {}, "-list": {} },
	"xcode-select": { "-p": {}, "--print-path": {} },
	bun: { "pm ls": {} },
};

function pips(): Record<string, OptionForm> {
	return { list: PIP, show: PIP, freeze: PIP, check: PIP, "config list": PIP };
}

function containers(): Record<string, OptionForm> {
	const logs: OptionForm = {
		flags: "ft",
		valued: "n",
		long: "follow tail= timestamps since= until= details no-color no-log-prefix",
	};
	return {
		...Object.fromEntries(
			(
				"ps,images,inspect,version,info,top,port,diff,history,container ls,container list,container inspect,container top,image ls,image list," +
				"image inspect,image history,volume ls,volume inspect,network ls,network inspect,context ls,context show,context inspect,system df," +
				"system info,compose ps,compose ls,compose images,compose top,compose version,node ls,service ls,stack ls"
			)
				.split(",")
				.map((name) => [name, LIST]),
		),
		stats: { flags: "a", long: "no-stream format= all no-trunc" },
		logs,
		"container logs": logs,
		"compose logs": logs,
		"compose config": { flags: "q", long: "quiet services volumes images profiles" },
	};
}
