// Sorts, filters and folds the tables of the page. Without it, everything is still there to read.
(() => {
  "use strict";

  const PAGE = 100;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const digits = new Intl.NumberFormat("en");
  const folded = (text) => text.normalize("NFKC").toLowerCase();

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    Object.assign(element, attributes);
    element.append(...children);
    return element;
  }

  // A table whose rows are sorted by a column, filtered by tests, and shown a page at a time.
  class Listing {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.rows = [...this.body.rows];
      this.order = this.rows;
      this.limit = PAGE;
      this.accepts = () => true;
      this.status = document.querySelector(`[data-status="${table.id}"]`);
      this.statusAtRest = this.status?.textContent;
      this.texts = new Map();
      this.more = make("button", { type: "button", className: "more", hidden: true });
      this.none = make("p", { className: "nothing", hidden: true, textContent: "Nothing fits the filters." });
      table.closest(".scroll").after(this.none, this.more);
      this.more.addEventListener("click", () => this.showMore());
      for (const head of table.tHead.rows[0].cells) this.makeSortable(head);
    }

    makeSortable(head) {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => this.sort(head));
    }

    sort(head) {
      const other = { ascending: "descending", descending: "ascending" };
      const direction = other[head.getAttribute("aria-sort")] ?? head.dataset.first;
      for (const cell of head.parentElement.cells) cell.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction);
      this.order = sorted(this.rows, head, direction === "ascending" ? 1 : -1);
      this.body.append(...this.order);
      this.show();
    }

    filter(accepts, { active, where }) {
      this.accepts = accepts;
      this.active = active;
      this.where = where;
      this.limit = PAGE;
      this.show();
    }

    show() {
      let found = 0;
      for (const row of this.order) {
        row.hidden = !this.accepts(row);
        if (!row.hidden) found += 1;
        // Rows past the limit are left out of the screen but not of the print.
        row.classList.toggle("later", !row.hidden && found > this.limit);
      }
      this.none.hidden = found > 0;
      this.showRest(found - this.limit);
      if (this.status) {
        const of = `${digits.format(found)} of the ${digits.format(this.rows.length)} listed`;
        const more = this.status.dataset.more ?? "";
        this.status.textContent = this.active ? of + (this.where ?? "") + more : this.statusAtRest;
      }
    }

    showRest(rest) {
      this.more.hidden = rest <= 0;
      this.more.textContent = `Show ${digits.format(Math.min(rest, PAGE))} more of ${digits.format(rest)}`;
    }

    showMore() {
      const first = this.order.find((row) => row.classList.contains("later"));
      this.limit += PAGE;
      this.show();
      if (this.more.hidden && first) {
        first.tabIndex = -1;
        first.focus({ preventScroll: true });
      }
    }

    text(row) {
      if (!this.texts.has(row)) this.texts.set(row, folded([...row.cells].map((cell) => cell.textContent).join("\n")));
      return this.texts.get(row);
    }

    nameOf(row) {
      return folded(row.cells[0].textContent);
    }
  }

  function sorted(rows, head, sign) {
    const column = head.cellIndex;
    const numeric = head.dataset.sort === "number";
    const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column], numeric)]));
    const compare = numeric ? (a, b) => a - b : (a, b) => collator.compare(a, b);
    return [...rows].sort((one, other) => {
      const [a, b] = [keys.get(one), keys.get(other)];
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * compare(a, b);
    });
  }

  function keyOf(cell, numeric) {
    if (numeric) return cell.dataset.by === "" ? null : Number(cell.dataset.by);
    return cell.textContent.trim() || null;
  }

  // The fields: filtered by name, with all counts on demand.
  function controlFields(listing, form) {
    const { text, all } = form.elements;
    text.addEventListener("input", () => {
      const words = folded(text.value.trim());
      listing.filter((row) => listing.nameOf(row).includes(words), { active: words !== "" });
    });
    const toggle = () => listing.table.classList.toggle("all", all.checked);
    all.addEventListener("change", toggle);
    toggle();
  }

  // The non-matches: filtered by text, field, outcome, kind, and by the document that was clicked above.
  function controlNonMatches(listing, form) {
    const { text, field, outcome, kind } = form.elements;
    const clear = form.querySelector("button");
    let only = null;

    function apply() {
      const words = folded(text.value.trim());
      const active = Boolean(words || field.value || outcome.value || kind?.value || only);
      const accepts = (row) =>
        (!outcome.value || row.dataset.outcome === outcome.value) &&
        (!kind?.value || row.dataset.kind === kind.value) &&
        (!field.value || row.dataset.fields.split(" ").includes(field.value)) &&
        (!only || row.dataset.document === only.number) &&
        (!words || listing.text(row).includes(words));
      clear.hidden = !active;
      listing.filter(accepts, { active, where: only ? ` in document ${only.name}` : "" });
    }

    function clearAll() {
      form.reset();
      only = null;
      apply();
    }

    function clearByButton() {
      clearAll();
      text.focus();
    }

    form.addEventListener("input", apply);
    clear.addEventListener("click", clearByButton);
    for (const link of document.querySelectorAll("a[data-field]")) {
      link.addEventListener("click", () => {
        clearAll();
        field.value = link.dataset.field;
        apply();
      });
    }
    for (const link of document.querySelectorAll("a[data-kind]")) {
      link.addEventListener("click", () => {
        clearAll();
        kind.value = link.dataset.kind;
        field.value = link.dataset.of ?? "";
        apply();
      });
    }
    for (const link of document.querySelectorAll("a[data-document]")) {
      link.addEventListener("click", () => {
        clearAll();
        only = { number: link.dataset.document, name: link.textContent };
        apply();
      });
    }
    apply();
  }

  // Long values are cut to a few lines, with a button that opens them.
  function foldLongValues() {
    for (const value of document.querySelectorAll("td .value.long")) {
      const length = digits.format([...value.textContent].length);
      const button = make("button", { type: "button", className: "open" });
      const say = (open) => {
        value.classList.toggle("folded", !open);
        button.textContent = open ? "show less" : `show all ${length} characters`;
        button.setAttribute("aria-expanded", String(open));
      };
      button.addEventListener("click", () => say(value.classList.contains("folded")));
      (value.closest("a") ?? value).after(button);
      say(false);
    }
  }

  document.documentElement.classList.add("js");
  foldLongValues();
  const controls = { "field-table": controlFields, "non-match-table": controlNonMatches };
  for (const table of document.querySelectorAll("table.listing")) {
    const listing = new Listing(table);
    const form = document.querySelector(`[data-controls="${table.id}"]`);
    listing.show();
    if (!form) continue;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    controls[table.id](listing, form);
  }
})();
