// Made from the modules beside it by `npm run generate`; do not edit.
(function() {
	// cli/commands/report/page/address.ts
	const states = [
		"",
		"active",
		"upcoming",
		"ended",
		"locked",
		"ending",
		"none"
	];
	const spans = [
		"7",
		"30",
		"90",
		"365",
		"all"
	];
	const views = [
		"lines",
		"folded",
		"table"
	];
	const sorts = [
		"name",
		"most",
		"end"
	];
	/** Reads the filter that an address has after its #; what makes no sense there is left out. */
	function readFilter(hash, start) {
		const fields = new URLSearchParams(hash.replace(/^#/, ""));
		const at = Date.parse(fields.get("at") ?? "");
		return {
			text: fields.get("q") ?? start.text,
			person: fields.get("person") ?? start.person,
			dataSource: fields.get("data-source") ?? start.dataSource,
			role: fields.get("role") ?? start.role,
			state: states.find((state) => state === fields.get("state")) ?? start.state,
			by: fields.get("by") === "data-source" ? "dataSource" : start.by,
			span: spans.find((span) => span === fields.get("span")) ?? start.span,
			shift: Number(fields.get("shift") ?? start.shift) || 0,
			at: Number.isNaN(at) ? start.at : at,
			view: views.find((view) => view === fields.get("view")) ?? start.view,
			sort: sorts.find((sort) => sort === fields.get("sort")) ?? start.sort
		};
	}
	/** The part of an address that `readFilter` makes the same filter of: what differs from the start. */
	function writeFilter(filter, start) {
		const fields = new URLSearchParams();
		const add = (name, value, usual) => {
			if (value !== usual) fields.set(name, value);
		};
		add("q", filter.text, start.text);
		add("person", filter.person, start.person);
		add("data-source", filter.dataSource, start.dataSource);
		add("role", filter.role, start.role);
		add("state", filter.state, start.state);
		add("by", filter.by === "dataSource" ? "data-source" : "person", "person");
		add("span", filter.span, start.span);
		add("shift", String(filter.shift), "0");
		add("at", new Date(filter.at).toISOString(), new Date(start.at).toISOString());
		add("view", filter.view, start.view);
		add("sort", filter.sort, start.sort);
		return fields.toString();
	}
	// cli/commands/report/page/dom.ts
	/** A new element with a class, text or children, and attributes. */
	function make(tag, className, content = [], attributes = {}) {
		const element = document.createElement(tag);
		if (className !== "") element.className = className;
		if (typeof content === "string") element.textContent = content;
		else element.append(...content.filter((node) => node !== void 0));
		for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
		return element;
	}
	function byId(id, type = HTMLElement) {
		const element = document.getElementById(id);
		if (element instanceof type) return element;
		throw new Error(`the page has no ${type.name} #${id}`);
	}
	const hour = 36e5;
	const day = 24 * hour;
	const date = new Intl.DateTimeFormat("en-GB", {
		day: "numeric",
		month: "short",
		year: "numeric",
		timeZone: "UTC"
	});
	const clock = new Intl.DateTimeFormat("en-GB", {
		hour: "2-digit",
		minute: "2-digit",
		timeZone: "UTC"
	});
	/** `21 Nov 2026`. */
	const showDate = (time) => date.format(time).replace("Sept", "Sep");
	/** `21 Nov 2026, 17:00`. */
	const showTime = (time) => `${showDate(time)}, ${clock.format(time)}`;
	/** `21 Nov, 17:00`, for what is so close that nobody asks for the year. */
	const showClose = (time) => showTime(time).replace(/ \d{4},/, ",");
	/** `in 13 days`, `2 hours ago`, `now`. */
	function showDistance(time, from) {
		const distance = Math.abs(time - from);
		const step = steps$1.find(({ least }) => distance >= least) ?? {
			size: 6e4,
			unit: "minute"
		};
		const count = Math.round(distance / step.size);
		if (count === 0) return "now";
		const words = `${count} ${step.unit}${count === 1 ? "" : "s"}`;
		return time > from ? `in ${words}` : `${words} ago`;
	}
	/** A unit is used from twice its size on, so that `in 36 hours` does not become `in 2 days`. */
	const steps$1 = [
		{
			least: 730 * day,
			size: 365.25 * day,
			unit: "year"
		},
		{
			least: 60 * day,
			size: 30.44 * day,
			unit: "month"
		},
		{
			least: 2 * day,
			size: day,
			unit: "day"
		},
		{
			least: 2 * hour,
			size: hour,
			unit: "hour"
		}
	];
	// cli/commands/report/page/scale.ts
	/**
	* The stretch around a moment: a quarter of it before, the rest after, as what comes matters more.
	*
	* @param shift how many half stretches later; negative for earlier
	* @param bounds the first and last time of everything, for all of it
	*/
	function scaleOf(span, at, shift, bounds) {
		if (span === "all") {
			const from = Math.min(bounds.from, at - day);
			const to = Math.max(bounds.to, at + day);
			const margin = (to - from) * .03;
			return {
				from: from - margin,
				to: to + margin
			};
		}
		const length = Number(span) * day;
		const from = at - length / 4 + shift * length / 2;
		return {
			from,
			to: from + length
		};
	}
	/** Where a time lies, in percent of the stretch; outside of 0 to 100 where it is not in it. */
	function place({ from, to }, time) {
		return (time - from) / (to - from) * 100;
	}
	/** Round times to mark, as many as there is room for. */
	function ticksOf(scale, most) {
		const length = scale.to - scale.from;
		const step = steps.find(({ size }) => length / size <= most) ?? steps[steps.length - 1];
		if (step === void 0) return [];
		const ticks = [];
		for (let time = step.first(scale.from); time <= scale.to; time = step.next(time)) if (time >= scale.from) ticks.push({
			place: place(scale, time),
			label: step.label(time)
		});
		return ticks;
	}
	const utc = (options) => {
		const format = new Intl.DateTimeFormat("en-GB", {
			...options,
			timeZone: "UTC"
		});
		return (time) => format.format(time).replace("Sept", "Sep");
	};
	const byClock = utc({
		hour: "2-digit",
		minute: "2-digit"
	});
	const byDay = utc({
		day: "numeric",
		month: "short"
	});
	const byMonth = utc({ month: "short" });
	const byYear = utc({ year: "numeric" });
	const steps = [
		...[6, 12].map((hours) => even(hours * hour, (time) => time % 864e5 === 0 ? byDay(time) : byClock(time))),
		...[1, 2].map((days) => even(days * day, byDay)),
		...[7, 14].map((days) => even(days * day, byDay, 4 * day)),
		...[
			1,
			2,
			3,
			6
		].map((months) => calendar(months)),
		...[
			1,
			2,
			5,
			10,
			25,
			100
		].map((years) => calendar(12 * years))
	];
	function even(size, label, origin = 0) {
		return {
			size,
			first: (time) => Math.floor((time - origin) / size) * size + origin,
			next: (time) => time + size,
			label
		};
	}
	function calendar(months) {
		const at = (month) => Date.UTC(Math.floor(month / 12), month % 12);
		const monthOf = (time) => {
			const date = new Date(time);
			return date.getUTCFullYear() * 12 + date.getUTCMonth();
		};
		return {
			size: months * 30.44 * day,
			first: (time) => at(Math.floor(monthOf(time) / months) * months),
			next: (time) => at(monthOf(time) + months),
			label: (time) => months >= 12 || monthOf(time) % 12 === 0 ? byYear(time) : byMonth(time)
		};
	}
	// cli/commands/report/page/axis-view.ts
	/** Draws the axis, and the lines that continue it through every row. */
	function drawAxis(scale, at, isNow) {
		const axis = byId("axis");
		const width = axis.clientWidth === 0 ? 700 : axis.clientWidth;
		const ticks = ticksOf(scale, Math.max(2, Math.floor(width / 76)));
		const mark = place(scale, at);
		const isShown = mark >= 0 && mark <= 100;
		const labels = ticks.filter((tick) => tick.place < 97 && !(isShown && Math.abs(tick.place - mark) * width < 5200));
		axis.replaceChildren(...labels.map((tick) => placed(make("span", "tick", tick.label), tick.place)), ...isShown ? [placed(make("span", "now", isNow ? "now" : showDate(at)), mark)] : []);
		axis.title = `${showTime(scale.from)} to ${showTime(scale.to)} UTC`;
		const root = document.documentElement.style;
		root.setProperty("--ticks", ticks.map((tick) => line("--line", tick.place)).join(", ") || "none");
		root.setProperty("--now", isShown ? `${mark}%` : "-10%");
		root.setProperty("--moment", String(mark / 100));
		root.setProperty("--moment-opacity", isShown ? "0.3" : "0");
	}
	function placed(element, percent) {
		element.style.left = `${percent}%`;
		return element;
	}
	function line(colour, percent) {
		return `linear-gradient(var(${colour}), var(${colour})) ${percent}% 0 / 1px 100% no-repeat`;
	}
	// cli/commands/report/page/controls.ts
	/** Fills the controls with what there is, and calls back with what somebody changes. */
	function startControls(data, onChange) {
		fill("data-source", data.dataSources.map(({ alias }) => alias));
		fill("role", data.roles.map(({ name }) => name));
		watchText("search", (text) => {
			onChange({ text });
		});
		watchText("person", (text) => {
			onChange({ person: data.people.some(({ username }) => username === text) ? text : "" });
		});
		byId("person").addEventListener("focus", () => {
			fillPeople(data);
		}, { once: true });
		watchSelect("data-source", (dataSource) => {
			onChange({ dataSource });
		});
		watchSelect("role", (role) => {
			onChange({ role });
		});
		watchSelect("state", (state) => {
			onChange({ state });
		});
		watchRadios("by", (by) => {
			onChange({ by });
		});
		watchRadios("view", (view) => {
			onChange({ view });
		});
		watchSelect("sort", (sort) => {
			onChange({ sort });
		});
		watchRadios("span", (span) => {
			onChange({
				span,
				shift: 0
			});
		});
		const moment = byId("moment", HTMLInputElement);
		moment.addEventListener("change", () => {
			const at = Date.parse(`${moment.value}Z`);
			if (!Number.isNaN(at)) onChange({
				at,
				shift: 0
			});
		});
	}
	/** Makes the controls say what the filter is. */
	function showFilter(filter) {
		setValue("search", filter.text);
		setValue("person", filter.person);
		setValue("data-source", filter.dataSource);
		setValue("role", filter.role);
		setValue("state", filter.state);
		setValue("moment", new Date(filter.at).toISOString().slice(0, 16));
		check("by", filter.by);
		check("span", filter.span);
		check("view", filter.view);
		setValue("sort", filter.sort);
	}
	function setValue(id, value) {
		const control = byId(id);
		if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
		if (control.value !== value && control !== document.activeElement) control.value = value;
	}
	function check(name, value) {
		for (const radio of document.querySelectorAll(`input[name="${name}"]`)) radio.checked = radio.value === value;
	}
	function fill(id, values) {
		byId(id).append(...[...new Set(values)].map((value) => make("option", "", value, { value })));
	}
	function fillPeople({ people }) {
		byId("people").append(...people.map(({ username, name }) => make("option", "", name, { value: username })));
	}
	function watchText(id, onText) {
		const input = byId(id, HTMLInputElement);
		input.addEventListener("input", () => {
			onText(input.value.trim());
		});
	}
	function watchSelect(id, onValue) {
		const select = byId(id, HTMLSelectElement);
		select.addEventListener("change", () => {
			onValue(select.value);
		});
	}
	function watchRadios(name, onValue) {
		for (const radio of document.querySelectorAll(`input[name="${name}"]`)) radio.addEventListener("change", () => {
			onValue(radio.value);
		});
	}
	// cli/commands/report/page/lanes.ts
	/** Finds lanes when they are asked for: all of them at once would be millions in a large workspace. */
	function createLanes({ roles, permissions }) {
		const members = roles.flatMap(({ people }, role) => people.map(([person, since]) => ({
			person,
			role,
			since
		})));
		const rolesOf = Map.groupBy(members, ({ person }) => person);
		const reached = roles.flatMap(({ dataSources }, role) => dataSources.map(([dataSource, since]) => ({
			dataSource,
			role,
			since
		})));
		const rolesReaching = Map.groupBy(reached, ({ dataSource }) => dataSource);
		const granted = permissions.toSorted((a, b) => a[2] - b[2] || a[3] - b[3]);
		const permissionsOf = Map.groupBy(granted, ([person]) => person);
		const permissionsOn = Map.groupBy(granted, ([, dataSource]) => dataSource);
		return {
			ofPerson: cached((person) => {
				const byRole = (rolesOf.get(person) ?? []).flatMap(({ role, since }) => (roles[role]?.dataSources ?? []).map(([dataSource, from]) => roleLane(person, dataSource, role, since, from)));
				const own = Map.groupBy(permissionsOf.get(person) ?? [], ([, dataSource]) => dataSource);
				return [...byRole, ...[...own].map(([dataSource, all]) => permissionLane(person, dataSource, all))].sort((a, b) => a.dataSource - b.dataSource || inOrder(a, b));
			}),
			ofDataSource: cached((dataSource) => {
				const byRole = (rolesReaching.get(dataSource) ?? []).flatMap(({ role, since }) => (roles[role]?.people ?? []).map(([person, from]) => roleLane(person, dataSource, role, since, from)));
				const own = Map.groupBy(permissionsOn.get(dataSource) ?? [], ([person]) => person);
				return [...byRole, ...[...own].map(([person, all]) => permissionLane(person, dataSource, all))].sort((a, b) => a.person - b.person || inOrder(a, b));
			})
		};
	}
	/** What one window means at a moment; a locked person's access counts as locked while it would hold. */
	function stateOf({ start, end }, { locked }, at) {
		if (end !== void 0 && end <= at) return "ended";
		if (start > at) return "upcoming";
		return locked === true ? "locked" : "active";
	}
	/** The window that says most at a moment: the one that holds longest, else the next one, else the last one. */
	function mainWindow({ windows }, at) {
		return windows.filter(({ start, end }) => start <= at && (end === void 0 || end > at)).sort((a, b) => (b.end ?? Infinity) - (a.end ?? Infinity))[0] ?? windows.find(({ start }) => start > at) ?? windows.at(-1);
	}
	/**
	* When a person who reaches a data source at a moment stops reaching it, however many windows follow each other till then.
	*
	* @param lanes of the person
	* @returns undefined where there is no end, or no access at that moment
	*/
	function endOfAccess(lanes, dataSource, at) {
		const windows = lanes.filter((lane) => lane.dataSource === dataSource).flatMap((lane) => lane.windows);
		let end = at;
		for (let last = -Infinity; last < end;) {
			last = end;
			for (const window of windows) {
				if (window.start > last) continue;
				if (window.end === void 0) return void 0;
				end = Math.max(end, window.end);
			}
		}
		return end === at ? void 0 : end;
	}
	function roleLane(person, dataSource, role, one, other) {
		return {
			person,
			dataSource,
			role,
			windows: [{
				start: Math.max(one, other),
				end: void 0
			}]
		};
	}
	function permissionLane(person, dataSource, all) {
		return {
			person,
			dataSource,
			role: void 0,
			windows: all.map(toWindow)
		};
	}
	function toWindow([, , start, end, note]) {
		return note === void 0 ? {
			start,
			end
		} : {
			start,
			end,
			note
		};
	}
	/** Roles before permissions. */
	function inOrder(a, b) {
		return (a.role ?? Infinity) - (b.role ?? Infinity) || 0;
	}
	function cached(find) {
		const known = /* @__PURE__ */ new Map();
		return (index) => {
			const found = known.get(index) ?? find(index);
			known.set(index, found);
			return found;
		};
	}
	// cli/commands/report/page/filter.ts
	/** What ends within a week needs somebody's attention. */
	const soon = 7 * day;
	/** The groups that pass a filter, in their order. Without any filter those with no access are shown, too. */
	function groupsOf(filter, data, lanes) {
		const passes = lanePredicate(filter, data, lanes);
		const isPerson = filter.by === "person";
		const names = isPerson ? data.people.map(personText) : data.dataSources.map(dataSourceText);
		const lanesOf = isPerson ? lanes.ofPerson : lanes.ofDataSource;
		const words = wordsOf(filter.text);
		const groups = [];
		for (const [index, name] of names.entries()) {
			if (isPerson && filter.person !== "" && data.people[index]?.username !== filter.person) continue;
			if (!isPerson && filter.dataSource !== "" && data.dataSources[index]?.alias !== filter.dataSource) continue;
			const all = lanesOf(index);
			const showsEmpty = canBeEmpty(filter) && words.every((word) => name.includes(word));
			if (filter.state === "none") {
				if ((isPerson ? !all.some((lane) => laneState(lane, filter.at, data) === "active") : all.length === 0) && words.every((word) => name.includes(word))) groups.push({
					index,
					lanes: all
				});
				continue;
			}
			const shown = all.filter(passes);
			if (shown.length > 0 || showsEmpty && all.length === 0) groups.push({
				index,
				lanes: shown
			});
		}
		return groups;
	}
	/** Groups in an order; equal ones stay as they were, by name. */
	function sortGroups(groups, { sort, at }, data) {
		if (sort === "name") return groups;
		const active = ({ lanes }) => lanes.filter((lane) => laneState(lane, at, data) === "active");
		const keyOf = sort === "most" ? (group) => -active(group).length : (group) => Math.min(...active(group).map((lane) => mainWindow(lane, at)?.end ?? Infinity));
		return groups.map((group) => ({
			group,
			key: keyOf(group)
		})).sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0).map(({ group }) => group);
	}
	/** The state of a lane is that of its main window. */
	function laneState(lane, at, { people }) {
		const window = mainWindow(lane, at);
		return window === void 0 ? "ended" : stateOf(window, people[lane.person] ?? {}, at);
	}
	/** Whether a lane gives access at the moment that soon nothing gives any more. */
	function isEnding(lane, at, data, lanes) {
		const own = mainWindow(lane, at)?.end;
		if (own === void 0 || own - at > soon || laneState(lane, at, data) !== "active") return false;
		const end = endOfAccess(lanes.ofPerson(lane.person), lane.dataSource, at);
		return end !== void 0 && end - at <= soon;
	}
	function lanePredicate(filter, data, lanes) {
		const people = data.people.map(personText);
		const dataSources = data.dataSources.map(dataSourceText);
		const roles = data.roles.map(({ name }) => name.toLowerCase());
		const words = wordsOf(filter.text);
		return (lane) => {
			if (filter.person !== "" && data.people[lane.person]?.username !== filter.person) return false;
			if (filter.dataSource !== "" && data.dataSources[lane.dataSource]?.alias !== filter.dataSource) return false;
			const role = lane.role === void 0 ? void 0 : data.roles[lane.role];
			if (filter.role !== "" && role?.name !== filter.role) return false;
			if (!hasState(lane, filter, data, lanes)) return false;
			return words.every((word) => people[lane.person]?.includes(word) === true || dataSources[lane.dataSource]?.includes(word) === true || (lane.role === void 0 ? "permission" : roles[lane.role])?.includes(word) === true);
		};
	}
	function hasState(lane, { state, at }, data, lanes) {
		if (state === "") return true;
		return state === "ending" ? isEnding(lane, at, data, lanes) : laneState(lane, at, data) === state;
	}
	function canBeEmpty({ role, state, by, person, dataSource }) {
		return role === "" && state === "" && (by === "person" ? dataSource === "" : person === "");
	}
	const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter((word) => word !== "");
	const personText = ({ username, name }) => `${name} ${username}`.toLowerCase();
	const dataSourceText = ({ alias, name }) => `${alias} ${name}`.toLowerCase();
	// cli/commands/report/page/lane-view.ts
	const stateNames = {
		active: "Active",
		upcoming: "Upcoming",
		ended: "Ended",
		locked: "Locked out"
	};
	/** One row: what is reached and how, its windows to scale, and the same in words. */
	function drawLane(lane, drawing) {
		const { data, at, lanes } = drawing;
		const state = laneState(lane, at, data);
		return make("li", `lane ${state}`, [
			make("div", "what", [make("span", "target", targetOf(lane, drawing)), make("span", "way", wayOf(lane, data))], { title: [
				targetOf(lane, drawing),
				wayOf(lane, data),
				placeOf(lane, data)
			].join(" ").trim() }),
			drawTrack(lane, drawing),
			make("div", "when", [isEnding(lane, at, data, lanes) ? make("span", "state ending", "Ends soon") : make("span", `state ${state}`, stateNames[state]), make("span", "period", periodOf(lane, at, isEnding(lane, at, data, lanes)), { title: fullPeriodOf(lane, at) })])
		]);
	}
	function targetOf({ person, dataSource }, { data, by }) {
		if (by === "person") return data.dataSources[dataSource]?.alias ?? "";
		return data.people[person]?.name ?? "";
	}
	function wayOf({ role, windows }, { roles, notes }) {
		if (role !== void 0) return `through ${roles[role]?.name ?? ""}`;
		if (windows.length > 1) return `by ${windows.length} permissions`;
		const { reason } = notes?.[windows[0]?.note ?? -1] ?? {};
		return reason === void 0 ? "by permission" : `by permission: ${reason}`;
	}
	/** Where it is declared, where the report was made with definitions. */
	function placeOf({ role, windows }, { roles, notes }) {
		const place = role === void 0 ? notes?.[windows[0]?.note ?? -1]?.place : roles[role]?.place;
		return place === void 0 ? "" : `(${place})`;
	}
	/** The main window in a few words; the time of day is told only where it is close. */
	function periodOf(lane, at, isClose) {
		const window = mainWindow(lane, at);
		if (window === void 0) return "";
		const { start, end } = window;
		const more = lane.windows.length > 1 ? ` (+${lane.windows.length - 1})` : "";
		if (end !== void 0 && end <= at) return `on ${showDate(end)}${more}`;
		if (start > at) return end === void 0 ? `from ${showDate(start)}` : `${showDate(start)} to ${showDate(end)}${more}`;
		if (end === void 0) return start === 0 ? "no end" : `since ${showDate(start)}, no end`;
		return isClose ? `${showDistance(end, at)}, ${showClose(end)}${more}` : `until ${showDate(end)}${more}`;
	}
	function fullPeriodOf(lane, at) {
		const window = mainWindow(lane, at);
		return window === void 0 ? "" : titleOf(window);
	}
	/** The windows as bars. What they show stands beside them in words, so readers of screens pass them over. */
	function drawTrack(lane, { data, at, scale }) {
		return make("div", "track", lane.windows.filter(({ start, end }) => start < scale.to && (end === void 0 || end > scale.from)).map((window) => drawBar(window, stateOf(window, data.people[lane.person] ?? {}, at), scale)), { "aria-hidden": "true" });
	}
	function drawBar(window, state, scale) {
		const { start, end } = window;
		const left = Math.max(0, place(scale, start));
		const right = end === void 0 ? 100 : Math.min(100, place(scale, end));
		const bar = make("span", [
			"bar",
			state,
			...[...start < scale.from ? ["before"] : [], ...end === void 0 ? ["open"] : end > scale.to ? ["after"] : []]
		].join(" "), "", { title: titleOf(window) });
		bar.style.left = `${left}%`;
		bar.style.width = `${right - left}%`;
		return bar;
	}
	function titleOf({ start, end }) {
		const from = start === 0 ? "" : `from ${showTime(start)} `;
		return end === void 0 ? `${from}with no end` : `${from}to ${showTime(end)} UTC`;
	}
	// cli/commands/report/page/group-view.ts
	/** How many lanes of a group are drawn at first. */
	const lanesPerPage = 20;
	/** A person with what they reach, or a data source with who reaches it. */
	function drawGroup({ index, lanes }, drawing, onPick, lanesAtOnce = lanesPerPage) {
		const { title, detail, isLocked } = headingOf(index, drawing);
		const pick = make("button", "pick", [make("span", "avatar", initialsOf(title), { "aria-hidden": "true" }), make("span", "title", title)], {
			type: "button",
			tabindex: "-1"
		});
		pick.addEventListener("click", () => {
			onPick(index);
		});
		const heading = make("div", "heading", [
			make("h2", "", [pick]),
			make("span", "detail", detail),
			isLocked ? make("span", "badge locked", "Locked") : void 0,
			make("span", "count", countOf({
				index,
				lanes
			}, drawing))
		]);
		const list = make("ul", "lanes");
		const group = make("li", isLocked ? "group is-locked" : "group", [heading, list]);
		if (lanesAtOnce > 0) appendLanes(group, list, {
			index,
			lanes
		}, {
			from: 0,
			count: lanesAtOnce
		}, drawing);
		return group;
	}
	/** Draws the next lanes, and a button for all after them. */
	function appendLanes(group, list, { index, lanes }, { from, count }, drawing) {
		const to = from + count;
		list.append(...lanes.slice(from, to).map((lane) => drawLane(lane, drawing)));
		if (to >= lanes.length) return;
		const more = make("button", "more-lanes", `Show all (${(lanes.length - to).toLocaleString("en")} more)`, { type: "button" });
		more.addEventListener("click", () => {
			const last = list.lastElementChild;
			more.remove();
			appendLanes(group, list, {
				index,
				lanes
			}, {
				from: to,
				count: Infinity
			}, drawing);
			const next = last?.nextElementSibling;
			if (next instanceof HTMLElement) {
				next.tabIndex = -1;
				next.focus();
			}
		});
		group.append(more);
	}
	function headingOf(index, { data, by }) {
		if (by === "person") {
			const { name = "", username = "", locked = false } = data.people[index] ?? {};
			return {
				title: name,
				detail: username,
				isLocked: locked
			};
		}
		const { alias = "", name = "" } = data.dataSources[index] ?? {};
		return {
			title: alias,
			detail: name === alias ? "" : name,
			isLocked: false
		};
	}
	/** What counts is what is reached at the moment, by whatever ways. */
	function countOf({ lanes }, { data, at, by }) {
		const active = lanes.filter((lane) => laneState(lane, at, data) === "active");
		const reached = new Set(active.map(({ person, dataSource }) => by === "person" ? dataSource : person)).size;
		if (by === "person") return reached === 0 ? "reaches nothing" : `reaches ${reached} data source${plural(reached)}`;
		const people = reached === 1 ? "person" : "people";
		return reached === 0 ? "reached by nobody" : `reached by ${reached.toLocaleString("en")} ${people}`;
	}
	const plural = (count) => count === 1 ? "" : "s";
	function initialsOf(title) {
		const words = title.split(/[\s._-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
		const [first = "", last = ""] = [words[0], words.length > 1 ? words.at(-1) : ""];
		return (firstLetter(first) + firstLetter(last)).toUpperCase();
	}
	function firstLetter(word) {
		return String.fromCodePoint(...[word.codePointAt(0)].filter((point) => point !== void 0));
	}
	// cli/commands/report/page/table-view.ts
	const columns = [
		{
			title: "Person",
			text: ({ person }) => person
		},
		{
			title: "Data source",
			text: ({ dataSource }) => dataSource
		},
		{
			title: "Through",
			text: ({ role }) => role === void 0 ? "permission" : `role ${role}`
		},
		{
			title: "State",
			text: ({ state }) => stateNames[state]
		},
		{
			title: "From (UTC)",
			text: ({ start }) => start === 0 ? "" : showTime(start),
			order: ({ start }) => start
		},
		{
			title: "Until (UTC)",
			text: ({ end }) => end === void 0 ? "no end" : showTime(end),
			order: ({ end }) => end ?? Infinity
		},
		{
			title: "Reason",
			text: ({ reason }) => reason
		},
		{
			title: "Declared in",
			text: ({ declared }) => declared
		}
	];
	/** A table of rows. Columns in which nothing stands are left out. */
	function drawTable(rows, order, onOrder) {
		const shown = columns.filter(({ text }) => rows.some((row) => text(row) !== ""));
		const head = make("tr", "", shown.map((column) => drawHeading(column, order, onOrder)));
		const body = rows.map((row) => make("tr", row.state, shown.map(({ text }) => make("td", "", text(row)))));
		return make("table", "rows", [make("thead", "", [head]), make("tbody", "", body)]);
	}
	function drawHeading(column, order, onOrder) {
		const index = columns.indexOf(column);
		const isSorted = order?.column === index;
		const button = make("button", "sort", column.title, { type: "button" });
		button.addEventListener("click", () => {
			onOrder(!isSorted ? {
				column: index,
				isUp: true
			} : order.isUp ? {
				column: index,
				isUp: false
			} : void 0);
		});
		const sorted = !isSorted ? "none" : order.isUp ? "ascending" : "descending";
		return make("th", "", [button], {
			scope: "col",
			"aria-sort": sorted
		});
	}
	/** The rows in an order; equal ones stay as they were. */
	function sortRows(rows, order) {
		const column = order === void 0 ? void 0 : columns[order.column];
		if (order === void 0 || column === void 0) return rows;
		const { text, order: numberOf } = column;
		const direction = order.isUp ? 1 : -1;
		const compare = new Intl.Collator("en", { numeric: true }).compare;
		return rows.toSorted((a, b) => direction * (numberOf === void 0 ? compare(text(a), text(b)) : compareNumbers(numberOf(a), numberOf(b))));
	}
	const compareNumbers = (a, b) => a < b ? -1 : a > b ? 1 : 0;
	// cli/commands/report/page/list-view.ts
	/** How much is drawn at first. Thousands of groups at once would make every key press slow. */
	const firstPage = {
		groups: 30,
		folded: 200,
		rows: 200
	};
	/**
	* Draws groups, a page of them first.
	*
	* @param onPick what to do with a group that somebody chooses
	*/
	function drawList({ groups, drawing, isFolded, isWhole }, onPick) {
		const list = byId("groups");
		list.replaceChildren();
		byId("table").replaceChildren();
		byId("nothing").hidden = groups.length > 0;
		const append = (to) => {
			const from = list.childElementCount;
			const lanes = isWhole ? Infinity : isFolded ? 0 : void 0;
			list.append(...groups.slice(from, to).map((group) => drawGroup(group, drawing, onPick, lanes)));
		};
		const first = isFolded ? firstPage.folded : firstPage.groups;
		append(isWhole ? Infinity : first);
		enter(list, 0);
		offerMore(groups.length, list.childElementCount, (to) => {
			const drawn = list.childElementCount;
			append(to);
			enter(list, drawn)?.focus();
			return list.childElementCount;
		});
	}
	/** Draws a table of rows, the first of them first; sorting goes over all. */
	function drawRows(rows, isWhole, order) {
		byId("groups").replaceChildren();
		byId("nothing").hidden = rows.length > 0;
		const sorted = sortRows(rows, order);
		const draw = (to) => {
			const cut = sorted.slice(0, to);
			const table = drawTable(cut, order, (next) => {
				drawRows(rows, isWhole, next);
			});
			byId("table").replaceChildren(...rows.length > 0 ? [table] : []);
			return cut.length;
		};
		offerMore(rows.length, draw(isWhole ? Infinity : firstPage.rows), draw);
	}
	/** Offers two buttons: one doubles what is shown, the other shows everything. So even a long list takes a few clicks. */
	function offerMore(all, first, drawTo) {
		const [more, whole] = [byId("more", HTMLButtonElement), byId("show-all", HTMLButtonElement)];
		const show = (drawn) => {
			const left = all - drawn;
			more.hidden = left === 0;
			whole.hidden = left === 0;
			more.textContent = `Show ${Math.min(drawn, left).toLocaleString("en")} more`;
			whole.textContent = `Show all (${left.toLocaleString("en")} left)`;
			more.onclick = () => {
				show(drawTo(drawn * 2));
			};
			whole.onclick = () => {
				show(drawTo(Infinity));
			};
		};
		show(first);
	}
	/** The list is one stop of the tab key; inside of it arrows go from heading to heading. */
	function moveByArrows() {
		const list = byId("groups");
		list.addEventListener("keydown", (event) => {
			const picks = [...list.querySelectorAll(".pick")];
			const current = picks.findIndex((pick) => pick === document.activeElement);
			const next = {
				ArrowDown: current + 1,
				ArrowUp: current - 1,
				Home: 0,
				End: picks.length - 1
			}[event.key];
			if (current === -1 || next === void 0) return;
			event.preventDefault();
			if (next >= picks.length) byId("more").focus();
			else enter(list, Math.max(0, next))?.focus();
		});
	}
	/** Makes one heading the stop of the tab key. */
	function enter(list, index) {
		const picks = [...list.querySelectorAll(".pick")];
		for (const [place, pick] of picks.entries()) pick.tabIndex = place === index ? 0 : -1;
		return picks[index];
	}
	// cli/commands/report/csv.ts
	/**
	* A table as RFC 4180 has it, with a heading. A cell that a spreadsheet would take for a formula gets an apostrophe in
	* front, as names come from people (OWASP, CSV injection).
	*/
	function toCsv(headings, rows) {
		return [headings, ...rows].map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
	}
	function toCell(text) {
		const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
		return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll("\"", "\"\"")}"` : harmless;
	}
	// cli/commands/report/page/rows.ts
	/** The rows of all groups, in their order. */
	function rowsOf(groups, data, at) {
		return groups.flatMap(({ lanes }) => lanes.flatMap(({ person, dataSource, role, windows }) => windows.map(({ start, end, note }) => {
			const { username = "", name = "", locked } = data.people[person] ?? {};
			const known = role === void 0 ? data.notes?.[note ?? -1] : void 0;
			return {
				person: username,
				name,
				dataSource: data.dataSources[dataSource]?.alias ?? "",
				role: role === void 0 ? void 0 : data.roles[role]?.name ?? "",
				state: stateOf({
					start,
					end
				}, locked === void 0 ? {} : { locked }, at),
				start,
				end,
				reason: known?.reason ?? "",
				declared: (role === void 0 ? known?.place : data.roles[role]?.place) ?? ""
			};
		})));
	}
	function csvOf(rows) {
		return toCsv([
			"person",
			"name",
			"data source",
			"role",
			"state",
			"from",
			"until",
			"reason",
			"declared"
		], rows.map(({ person, name, dataSource, role, state, start, end, reason, declared }) => [
			person,
			name,
			dataSource,
			role ?? "",
			state,
			start === 0 ? "" : new Date(start).toISOString(),
			end === void 0 ? "" : new Date(end).toISOString(),
			reason,
			declared
		]));
	}
	// cli/commands/report/page/summary.ts
	/** How many people stand in each state that the tiles count. */
	function countPeople(data, lanes, at) {
		const counts = {
			active: 0,
			ending: 0,
			upcoming: 0,
			locked: 0,
			none: 0
		};
		for (const [index, person] of data.people.entries()) {
			const own = lanes.ofPerson(index);
			const states = new Set(own.map((lane) => laneState(lane, at, data)));
			if (states.has("active")) counts.active += 1;
			else counts.none += 1;
			if (states.has("upcoming")) counts.upcoming += 1;
			if (person.locked === true) counts.locked += 1;
			if (own.some((lane) => isEnding(lane, at, data, lanes))) counts.ending += 1;
		}
		return counts;
	}
	/** The tiles are counts and filters at once. */
	function drawTiles(counts, { state }) {
		for (const tile of byId("tiles").querySelectorAll("button[data-state]")) {
			const own = tile.dataset["state"] ?? "";
			const number = tile.querySelector(".number");
			if (number !== null) number.textContent = (counts[own] ?? 0).toLocaleString("en");
			tile.setAttribute("aria-pressed", String(state === own));
		}
	}
	/** Calls back with the state of a tile that is pressed; pressed again, with none. */
	function watchTiles(current, onState) {
		for (const tile of byId("tiles").querySelectorAll("button[data-state]")) tile.addEventListener("click", () => {
			const state = tile.dataset["state"];
			onState(current() === state ? "" : state);
		});
	}
	// cli/commands/report/page/theme.ts
	/** The button that turns dark to light and back; until it is used, the system's own setting holds. */
	function startTheme() {
		const button = byId("theme", HTMLButtonElement);
		const system = matchMedia("(prefers-color-scheme: dark)");
		const chosen = remembered();
		if (chosen !== void 0) document.documentElement.dataset["theme"] = chosen;
		const current = () => document.documentElement.dataset["theme"] ?? fromSystem();
		const fromSystem = () => system.matches ? "dark" : "light";
		const tell = () => {
			const next = current() === "dark" ? "light" : "dark";
			button.setAttribute("aria-label", `Switch to ${next} colours`);
			button.title = `Switch to ${next} colours`;
		};
		button.addEventListener("click", () => {
			const next = current() === "dark" ? "light" : "dark";
			document.documentElement.dataset["theme"] = next;
			remember(next);
			tell();
		});
		system.addEventListener("change", tell);
		tell();
	}
	const key = "rolecall-theme";
	/** A page that was opened from a file may have no storage. */
	function remembered() {
		try {
			const value = localStorage.getItem(key);
			return value === "dark" || value === "light" ? value : void 0;
		} catch {
			return;
		}
	}
	function remember(theme) {
		try {
			localStorage.setItem(key, theme);
		} catch {}
	}
	// cli/commands/report/page/main.ts
	startTheme();
	start(JSON.parse(byId("data").textContent));
	function start(data) {
		const lanes = createLanes(data);
		const bounds = boundsOf(data);
		const initial = {
			text: "",
			person: "",
			dataSource: "",
			role: "",
			state: "",
			by: "person",
			span: "90",
			shift: 0,
			at: data.at,
			view: "lines",
			sort: "name"
		};
		let filter = readFilter(location.hash, initial);
		let counted = {
			at: NaN,
			counts: {}
		};
		byId("subtitle").textContent = `${data.workspace} · read ${showTime(data.readAt)} UTC`;
		/** @param isWhole draws everything, for paper has no button for more */
		function draw(isWhole = false) {
			const groups = sortGroups(groupsOf(filter, data, lanes), filter, data);
			const isTable = filter.view === "table";
			byId("report").dataset["view"] = isWhole && !isTable ? "lines" : filter.view;
			const scale = scaleOf(filter.span, filter.at, filter.shift, bounds);
			if (counted.at !== filter.at) counted = {
				at: filter.at,
				counts: countPeople(data, lanes, filter.at)
			};
			drawTiles(counted.counts, filter);
			drawAxis(scale, filter.at, filter.at === data.at);
			const drawing = {
				data,
				lanes,
				at: filter.at,
				scale,
				by: filter.by
			};
			if (isTable) drawRows(rowsOf(groups, data, filter.at), isWhole);
			else drawList({
				groups,
				drawing,
				isFolded: filter.view === "folded",
				isWhole
			}, pick);
			byId("status").textContent = describe(groups.length);
			byId("reset").hidden = writeFilter(filter, {
				...initial,
				by: filter.by,
				span: filter.span,
				shift: filter.shift,
				view: filter.view,
				sort: filter.sort
			}) === "";
			showFilter(filter);
		}
		function describe(shown) {
			const all = filter.by === "person" ? data.people.length : data.dataSources.length;
			const what = filter.by === "person" ? "people" : "data sources";
			const number = shown.toLocaleString("en");
			return shown === all ? `${number} ${what}` : `${number} of ${all.toLocaleString("en")} ${what}`;
		}
		function change(part) {
			filter = {
				...filter,
				...part
			};
			const hash = writeFilter(filter, initial);
			history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
			draw();
		}
		/** Shows one person or data source alone, or all again. */
		function pick(index) {
			const name = (filter.by === "person" ? data.people[index]?.username : data.dataSources[index]?.alias) ?? "";
			const field = filter.by === "person" ? "person" : "dataSource";
			change({ [field]: filter[field] === name ? "" : name });
			document.querySelector("#groups .pick")?.focus();
		}
		startControls(data, change);
		watchTiles(() => filter.state, (state) => {
			change({ state });
		});
		watchButtons(change, () => filter, initial);
		byId("csv").addEventListener("click", () => {
			download("access.csv", csvOf(rowsOf(sortGroups(groupsOf(filter, data, lanes), filter, data), data, filter.at)));
		});
		addEventListener("beforeprint", () => {
			draw(true);
		});
		addEventListener("afterprint", () => {
			draw();
		});
		watchKeys();
		moveByArrows();
		addEventListener("hashchange", () => {
			filter = readFilter(location.hash, initial);
			draw();
		});
		let width = innerWidth;
		addEventListener("resize", () => {
			if (width !== innerWidth) draw();
			width = innerWidth;
		});
		byId("filters", HTMLDetailsElement).open = matchMedia("(min-width: 60rem)").matches;
		draw();
	}
	function watchButtons(change, current, initial) {
		byId("earlier").addEventListener("click", () => {
			change({ shift: current().shift - 1 });
		});
		byId("later").addEventListener("click", () => {
			change({ shift: current().shift + 1 });
		});
		byId("now").addEventListener("click", () => {
			change({
				at: initial.at,
				shift: 0
			});
		});
		byId("reset").addEventListener("click", () => {
			const { by, span, view, sort } = current();
			change({
				...initial,
				by,
				span,
				view,
				sort
			});
			byId("search", HTMLInputElement).value = "";
			byId("search").focus();
		});
	}
	/** Gives a file to the browser, made here: the page may load and send nothing. */
	function download(name, text) {
		const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
		make("a", "", "", {
			href: url,
			download: name
		}).click();
		URL.revokeObjectURL(url);
	}
	/** A slash goes to the search, as on many pages; Escape empties it. */
	function watchKeys() {
		const search = byId("search", HTMLInputElement);
		addEventListener("keydown", (event) => {
			const isTyping = document.activeElement instanceof HTMLInputElement || document.activeElement instanceof HTMLSelectElement;
			if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
				event.preventDefault();
				search.focus();
				search.select();
			} else if (event.key === "Escape" && document.activeElement === search) {
				search.value = "";
				search.dispatchEvent(new Event("input"));
			}
		});
	}
	/** The first start and the last end of all permissions; roles have no end, and begin at some time. */
	function boundsOf({ permissions, roles }) {
		const since = roles.flatMap(({ people, dataSources }) => [...people, ...dataSources].map(([, time]) => time));
		let from = Infinity;
		let to = -Infinity;
		for (const time of since) if (time > 0) from = Math.min(from, time);
		for (const [, , startsAt, expiresAt] of permissions) {
			from = Math.min(from, startsAt);
			to = Math.max(to, expiresAt);
		}
		return {
			from,
			to
		};
	}
})();
