package tailwindclass

import "strings"

// pairs reads a table of names and values.
func pairs(table string) map[string]string {
	all := make(map[string]string)
	fields := strings.Fields(table)
	for i := 0; i+1 < len(fields); i += 2 {
		all[fields[i]] = fields[i+1]
	}
	return all
}

// spacings maps properties whose values are multiples of the spacing unit to their
// utilities.
var spacings = pairs(`padding p padding-inline px padding-block py padding-top pt padding-right pr padding-bottom pb padding-left pl
		padding-inline-start ps padding-inline-end pe margin m margin-inline mx margin-block my margin-top mt margin-right mr
		margin-bottom mb margin-left ml margin-inline-start ms margin-inline-end me gap gap column-gap gap-x row-gap gap-y
		inset inset inset-inline inset-x inset-block inset-y top top right right bottom bottom left left
		width w height h min-width min-w min-height min-h max-width max-w max-height max-h flex-basis basis text-indent indent`)

// colours maps properties that are colours to their utilities.
var colours = pairs(`color text background-color bg border-color border border-top-color border-t border-right-color border-r
		border-bottom-color border-b border-left-color border-l outline-color outline fill fill accent-color accent
		caret-color caret text-decoration-color decoration`)

var corners = pairs(`border-radius rounded border-top-left-radius rounded-tl border-top-right-radius rounded-tr
		border-bottom-right-radius rounded-br border-bottom-left-radius rounded-bl`)

var edges = pairs(`border-width border border-top-width border-t border-right-width border-r border-bottom-width border-b
		border-left-width border-l`)

var weights = pairs(`100 thin 200 extralight 300 light 400 normal normal normal 500 medium 600 semibold 700 bold bold bold 800 extrabold 900 black`)

// keywords maps declarations to classes, and keywordClasses classes to properties.
var (
	keywords       = readKeywords()
	keywordClasses = propertiesOf(keywords)
)

func propertiesOf(keywords map[string]string) map[string]string {
	all := make(map[string]string)
	for declaration, class := range keywords {
		all[class], _, _ = strings.Cut(declaration, ":")
	}
	return all
}

func readKeywords() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(keywordTable) {
		property, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for value, class := range pairs(rest) {
			all[property+": "+strings.ReplaceAll(value, "~", " ")] = class
		}
	}
	return all
}

// Blanks in values are written as "~".
const keywordTable = `display: block block inline-block inline-block inline inline flex flex inline-flex inline-flex grid grid inline-grid inline-grid contents contents flow-root flow-root none hidden table table list-item list-item
	position: static static relative relative absolute absolute fixed fixed sticky sticky
	visibility: visible visible hidden invisible collapse collapse
	isolation: isolate isolate auto isolation-auto
	text-align: left text-left center text-center right text-right justify text-justify start text-start end text-end
	font-style: italic italic normal not-italic
	text-transform: uppercase uppercase lowercase lowercase capitalize capitalize none normal-case
	text-decoration-line: underline underline overline overline line-through line-through none no-underline
	text-wrap: wrap text-wrap nowrap text-nowrap balance text-balance pretty text-pretty
	text-overflow: ellipsis text-ellipsis clip text-clip
	white-space: normal whitespace-normal nowrap whitespace-nowrap pre whitespace-pre pre-line whitespace-pre-line pre-wrap whitespace-pre-wrap break-spaces whitespace-break-spaces
	line-height: 1 leading-none
	flex-direction: row flex-row row-reverse flex-row-reverse column flex-col column-reverse flex-col-reverse
	flex-wrap: wrap flex-wrap nowrap flex-nowrap wrap-reverse flex-wrap-reverse
	flex-grow: 1 grow 0 grow-0
	flex-shrink: 1 shrink 0 shrink-0
	flex: 1 flex-1 auto flex-auto none flex-none
	align-items: start items-start flex-start items-start end items-end flex-end items-end center items-center baseline items-baseline stretch items-stretch normal items-normal
	align-self: auto self-auto start self-start flex-start self-start end self-end flex-end self-end center self-center stretch self-stretch baseline self-baseline
	align-content: normal content-normal center content-center start content-start flex-start content-start end content-end flex-end content-end space-between content-between space-around content-around space-evenly content-evenly stretch content-stretch
	justify-content: normal justify-normal start justify-start flex-start justify-start end justify-end flex-end justify-end center justify-center space-between justify-between space-around justify-around space-evenly justify-evenly stretch justify-stretch
	justify-items: start justify-items-start end justify-items-end center justify-items-center stretch justify-items-stretch normal justify-items-normal
	grid-template-columns: none grid-cols-none subgrid grid-cols-subgrid
	overflow: auto overflow-auto hidden overflow-hidden clip overflow-clip visible overflow-visible scroll overflow-scroll
	overflow-x: auto overflow-x-auto hidden overflow-x-hidden clip overflow-x-clip visible overflow-x-visible scroll overflow-x-scroll
	overflow-y: auto overflow-y-auto hidden overflow-y-hidden clip overflow-y-clip visible overflow-y-visible scroll overflow-y-scroll
	object-fit: contain object-contain cover object-cover fill object-fill none object-none scale-down object-scale-down
	border-style: solid border-solid dashed border-dashed dotted border-dotted double border-double hidden border-hidden none border-none
	border-collapse: collapse border-collapse separate border-separate
	background-image: none bg-none
	background-size: auto bg-auto cover bg-cover contain bg-contain
	background-attachment: fixed bg-fixed local bg-local scroll bg-scroll
	background-repeat: repeat bg-repeat no-repeat bg-no-repeat repeat-x bg-repeat-x repeat-y bg-repeat-y
	background-position: center bg-center top bg-top bottom bg-bottom left bg-left right bg-right
	box-shadow: none shadow-none
	letter-spacing: normal tracking-normal 0 tracking-normal
	z-index: auto z-auto
	aspect-ratio: auto aspect-auto 1~/~1 aspect-square 16~/~9 aspect-video
	box-sizing: border-box box-border content-box box-content
	pointer-events: none pointer-events-none auto pointer-events-auto
	user-select: none select-none text select-text all select-all auto select-auto
	cursor: auto cursor-auto default cursor-default pointer cursor-pointer wait cursor-wait text cursor-text move cursor-move not-allowed cursor-not-allowed`
