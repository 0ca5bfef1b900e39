var e=[{id:"first-app",title:"Ihre erste App",about:"Von der Idee zur fertigen Seite, in einem Satz.",words:"anfang beginnen neu projekt anlegen vorlage importieren erste schritte start",picture:{name:"workbench",alt:"Ein Projekt: links der Chat, rechts die fertige Seite."},text:`
Sie müssen nicht programmieren können. Sagen Sie in Ihren Worten, was Sie wollen; der Agent schreibt die App, und Sie sehen zu, wie sie entsteht.

1. Gehen Sie zu [Projekte](/dashboard) und beschreiben Sie Ihre App: was sie kann, wer sie benutzt und wie sie aussehen soll.
2. Drücken Sie **Bauen**. Der Chat zeigt Schritt für Schritt, was der Agent tut. Daneben erscheint die Seite.
3. Probieren Sie die Seite aus: Sie ist kein Bild, sie funktioniert.
4. Sagen Sie, was anders werden soll, eins nach dem anderen: „Mach die Überschrift größer“, „Füge eine Seite mit Öffnungszeiten hinzu“.

## Gute erste Sätze

- „Eine Seite für meine Bäckerei mit Öffnungszeiten, Preisen und Anfahrt.“
- „Ein Gewohnheitstracker, in dem ich jeden Tag abhake.“
- „Ein Quiz über Hauptstädte, das die richtigen Antworten zählt.“

## Andere Anfänge

Eine Vorlage gibt Ihnen eine fertige Seite, die Sie dann ändern. „Als Vorlage teilen…“ im Menü eines Projekts macht daraus eine für alle im Arbeitsbereich. Ein Projekt als ZIP-Datei oder aus Git importieren Sie auf der Startseite.`},{id:"import",title:"Projekte mitbringen",about:"Machen Sie hier weiter mit dem, was Sie in Lovable, Bolt, v0, Firebase Studio, Replit oder anderswo begonnen haben.",words:"importieren zip git github lovable bolt v0 firebase studio ai studio replit figma make base44 dyad vite create react app supabase umziehen wechseln exportieren",text:`
1. Laden Sie die Dateien des Projekts beim anderen Dienst als ZIP-Datei herunter, oder legen Sie sie in ein Git-Repository.
2. Gehen Sie zu [Projekte](/dashboard) und drücken Sie **Importieren…**, oder ziehen Sie die ZIP-Datei auf die Seite.
3. Lesen Sie, was wir geändert haben und was noch fehlt, und öffnen Sie das Projekt. Den Rest kann der Agent erledigen: „Bring das hier zum Laufen.“

Die meisten Projekte laufen sofort. Braucht eines eigene Werkzeuge, sagt seine Vorschau, warum, und wartet etwa eine Minute auf die Pakete. Einstellungen in \`vite.config\`, \`tsconfig.json\` und \`tailwind.config\` gelten auch hier.

## Lovable

Verbinden Sie das Projekt dort mit GitHub, und importieren Sie das Repository oder seine ZIP-Datei. Die Seite nutzt weiter Supabase, wenn Sie \`VITE_SUPABASE_URL\` und \`VITE_SUPABASE_PUBLISHABLE_KEY\` unter **Veröffentlichen** als Umgebungswerte eintragen. Oder Sie ziehen mit den Daten um, wie unten beschrieben.

## Bolt und dyad

Laden Sie das Projekt als ZIP-Datei herunter, und importieren Sie sie. Die Umgebungswerte des alten Projekts tragen Sie unter **Veröffentlichen** ein.

## v0

Laden Sie die ZIP-Datei herunter. Das Projekt besteht aus Next.js und läuft mit eigenen Werkzeugen. Eine veröffentlichte Seite besteht aus Dateien; dafür braucht das Projekt \`output: 'export'\` in seiner \`next.config\`. Bitten Sie den Agenten darum.

## Firebase Studio und AI Studio

Laden Sie die Dateien als ZIP-Datei herunter. Für Projekte mit Next.js gilt dasselbe wie bei v0. Eine App aus AI Studio läuft unverändert; einen Gemini-Schlüssel, den ihre Seite benutzt, kann aber jeder lesen: Bitten Sie den Agenten, den Aufruf in eine Funktion zu verlegen, und speichern Sie den Schlüssel als geheimen Wert.

## Replit

Laden Sie die ZIP-Datei herunter. Hat das Projekt einen Server, läuft er in der Vorschau mit; eine veröffentlichte Seite besteht aber nur aus Seiten. Bitten Sie den Agenten, das Nötige als Funktionen und Daten nachzubauen.

## Figma Make

Laden Sie den Code herunter, und importieren Sie die ZIP-Datei. Importe mit Versionen im Namen (\`package@1.2.3\`) funktionieren, wie sie sind.

## Alles andere

Einfache Seiten, Vite, Create React App, Vue, Svelte, Astro und andere Projekte mit einer \`package.json\` importieren Sie auf demselben Weg. Aus einem Repository mit mehreren Apps importieren Sie den Ordner der einen.

## Ihre Daten

Die Tabellen von Supabase oder einer anderen Postgres-Datenbank werden Sammlungen unter **Daten**, **Tabellen aus Supabase oder Postgres…**: aus \`supabase/migrations\` des Projekts oder aus einer Datei, die \`pg_dump --schema-only\` schreibt. Sie sehen die Sammlungen mit ihren Regeln, bevor sie gespeichert werden, und was sich nicht übernehmen ließ.

Exportieren Sie dann jede Tabelle als CSV oder JSON, und importieren Sie sie in ihre Sammlung: zuerst die, auf die sich andere beziehen.

Ids, die hier nicht passen, etwa UUIDs, werden in allen Tabellen gleich ersetzt, damit Beziehungen erhalten bleiben. Wenn Sie eine Datei noch einmal importieren, werden ihre Datensätze geändert und nicht verdoppelt. Ist in einer Datei etwas falsch, sehen Sie alles auf einmal, und es wird nichts importiert.`},{id:"agent",title:"Mit dem Agenten sprechen",about:"So fragen, dass das Richtige herauskommt.",words:"chat prompt nachricht fragen plan bauen modus bild datei anhalten warteschlange befehl",text:`
Der Agent liest Ihr Projekt, bevor er etwas ändert, sieht sich die Seite danach an und verbessert, was nicht funktioniert.

## Was hilft

- Sagen Sie, was Sie sehen und was Sie stattdessen sehen wollen: „Der Knopf liegt hinter dem Bild. Setze ihn darunter.“
- Fügen Sie ein Bild an: eine Skizze, einen Screenshot oder ein Foto. Einfügen oder auf das Nachrichtenfeld ziehen genügt.
- Tippen Sie \`@\`, um eine Datei zu nennen, und \`/\` für Befehle Ihres Arbeitsbereichs.
- Wählen Sie ein Element auf der Seite aus, um genau darüber zu sprechen.

## Drei Modi

- **Bauen** ändert Ihr Projekt.
- **Planen** denkt erst nach und zeigt die Schritte. Bis Sie zustimmen, ändert sich nichts.
- **Fragen** beantwortet nur Fragen.

## Während er arbeitet

Sie können weiterschreiben: Ihre Nachrichten warten, bis sie an der Reihe sind. {stop} oder der eckige Knopf hält ihn an; was er bis dahin getan hat, bleibt. Eine frühere Nachricht können Sie ändern und noch einmal senden, auch mit den Dateien von damals.`},{id:"editing",title:"Auf der Seite bearbeiten",about:"Wörter, Farben und Abstände mit einem Klick ändern.",words:"visuell bearbeiten klicken text farbe schrift größe bild stil rückgängig gestaltung",picture:{name:"visual-edit",alt:"Eine Überschrift ist ausgewählt; das Feld daneben ändert Text und Schrift."},text:`
Für kleine Änderungen brauchen Sie den Agenten nicht. Drücken Sie **Bearbeiten** über der Vorschau und klicken Sie auf das, was Sie ändern wollen.

- Ändern Sie den Text, seine Größe, Stärke und Farbe, die Abstände, die Ecken oder ein Bild.
- Die Änderung ist sofort zu sehen und wird von selbst gespeichert.
- {undo} macht sie rückgängig, {redo} stellt sie wieder her.
- {toParent} wählt aus, was um das Element liegt, {toChild}, was darin liegt.
- {leaveEditing} beendet das Bearbeiten. Ihre Änderungen werden eine Version.

Kommt ein Text aus einer Liste oder einer Rechnung im Code, zeigt das Feld die Stelle. Oder bitten Sie den Agenten darum, gleich im selben Feld.`},{id:"versions",title:"Versionen und Rückgängig",about:"Nichts geht verloren: Jeder frühere Stand ist noch da.",words:"verlauf zurück wiederherstellen sichern git vergleichen stern name",text:`
Jede Änderung wird eine Version: die des Agenten, Ihre auf der Seite und die im Code. Sie finden sie unter **Versionen**.

- **Ansehen** zeigt einen alten Stand, ohne ihn wiederherzustellen.
- **Rückgängig machen** nimmt eine Änderung zurück und behält alles, was danach kam.
- **Wiederherstellen** bringt das ganze Projekt auf den Stand einer Version. Auch das wird eine Version, Sie können also wieder zurück.
- **Letzte funktionierende Version** erscheint, wenn eine Seite abstürzt oder sich nicht mehr bauen lässt: Atelier sucht die neueste Version, die funktioniert, und bietet sie zum Wiederherstellen an.
- Geben Sie einer Version einen Namen oder einen Stern, um sie wiederzufinden, und vergleichen Sie je zwei.

Ihre Dateien sind ein Git-Repository. Die Adresse steht unter **Versionen**, falls Sie mit eigenen Werkzeugen arbeiten wollen.`},{id:"publishing",title:"Veröffentlichen und Domains",about:"Ihre App im Netz, unter Ihrem eigenen Namen.",words:"veröffentlichen deployment seite adresse url domain dns cname live passwort besuche titel seo",text:`
1. Drücken Sie im Projekt **Veröffentlichen** und wählen Sie eine Adresse.
2. Ihre App wird gebaut, geprüft und ist dann für alle da. Spätere Änderungen erscheinen erst, wenn Sie wieder veröffentlichen.

## Eigene Domain

Fügen Sie die Domain unter **Veröffentlichen** hinzu. Sie bekommen Einträge, die Sie dort setzen, wo Sie die Domain gekauft haben. Wir prüfen sie von selbst; das kann bis zu einer Stunde dauern. Das Zertifikat für https kommt von allein.

## Was die Seite über sich sagt

Titel, Beschreibung, Bild für Linkvorschauen, Sprache und die Seite für falsche Adressen stehen in den Einstellungen der Seite. Dort legen Sie auch fest, wer sie öffnen kann: alle, Leute mit einem Passwort oder Ihr Arbeitsbereich.

## Wenn etwas schiefging

Jede Veröffentlichung steht in der Liste. Sie können eine frühere ansehen und in einer Sekunde zu ihr zurückkehren. Sie können die Seite auch ganz aus dem Netz nehmen; das Projekt bleibt.`},{id:"data",title:"Daten und Benutzer",about:"Ihre App merkt sich Dinge, und Leute melden sich an.",words:"datenbank backend eintrag sammlung tabelle formular anmeldung konto benutzer regeln test live export",picture:{name:"data",alt:"Die Einträge eines Gästebuchs als Tabelle."},text:`
Bitten Sie den Agenten um etwas, das gemerkt werden soll („Hebe die Bestellungen auf“, „Leute sollen sich anmelden können“), und er richtet Daten für Ihr Projekt ein. Unter **Daten** sehen Sie sie als Tabellen.

- Jede Art von Dingen ist eine **Sammlung**, jedes Ding darin ein **Eintrag**.
- **Testdaten** gehören zur Vorschau: Probieren Sie damit, was Sie wollen. **Live-Daten** gehören zur veröffentlichten Seite und haben eine eigene Farbe. Sie vermischen sich nie.
- **Regeln** sagen, wer was lesen und schreiben darf, in verständlichen Worten.
- Wer sich in Ihrer App anmeldet, steht in der Sammlung der Benutzer und ist kein Mitglied Ihres Arbeitsbereichs.
- Tabellen können Sie als CSV ein- und ausgeben und Stände sichern, um zu ihnen zurückzukehren.

Würde eine Änderung Daten verlieren, sehen Sie vorher, welche.`},{id:"functions",title:"Funktionen",about:"Code auf dem Server: Geheimnisse, E-Mails, andere Dienste.",words:"server api geheimnis schlüssel mail umgebungsvariable protokoll",text:`
Manches darf nicht im Browser geschehen, weil es dort alle lesen könnten: ein geheimer Schlüssel, eine Zahlung, ein Brief an Ihre Kunden. Dafür schreibt der Agent **Funktionen**, die auf dem Server laufen.

- Sagen Sie, was Sie brauchen: „Schick mir für jede Bestellung eine E-Mail.“ Der Agent schreibt die Funktion und die Seite, die sie aufruft.
- Schlüssel anderer Dienste gehören als geheime **Umgebungsvariablen** zum **Veröffentlichen**, nie in den Chat.
- **Protokolle** unter Daten zeigen, was aufgerufen wurde, wie lange es dauerte und was misslang.`},{id:"checks",title:"Prüfungen",about:"Schritte, die vor dem Veröffentlichen von selbst probiert werden.",words:"test prüfung automatisch qualität veröffentlichen kaputt",text:`
Eine Prüfung ist eine kleine Geschichte über Ihre App: „Seite öffnen, Aufgabe hinzufügen, sie in der Liste sehen.“ Ein Browser spielt sie, wie ein Mensch es täte.

- Bitten Sie den Agenten um Prüfungen, oder nehmen Sie die an, die er vorschlägt.
- Sie laufen vor jedem Veröffentlichen. Misslingt eine, sehen Sie den Schritt mit einem Bild, und Ihre Seite bleibt, wie sie ist.
- Den Fehler können Sie gleich dem Agenten geben.`},{id:"tasks",title:"Aufgaben",about:"Mehreres zugleich erledigen lassen, jedes in einer eigenen Kopie.",words:"parallel tafel kopie zweig zusammenführen hintergrund",text:`
Eine Aufgabe arbeitet an einer Kopie Ihres Projekts. Sie können mehrere zugleich geben und selbst weiterarbeiten.

1. Öffnen Sie im Projekt **Aufgaben** und schreiben Sie auf, was zu tun ist.
2. Ist eine Aufgabe fertig, sehen Sie sich ihre Seite und ihre Änderungen an.
3. Übernehmen Sie sie in Ihr Projekt, oder verwerfen Sie sie.

Haben zwei Aufgaben dieselben Zeilen geändert, werden Sie gefragt, welcher Text bleibt.`},{id:"sharing",title:"Teilen",about:"Zeigen Sie Ihre Arbeit anderen, mit oder ohne Konto.",words:"teilen link vorschau qr telefon öffentlich privat sichtbarkeit kommentar rückmeldung",text:`
**Teilen** steht neben dem Namen des Projekts.

- **Privat**: Sie und die Admins des Arbeitsbereichs. **Arbeitsbereich**: alle Mitglieder. **Öffentlich**: Wer hier ein Konto hat, kann es ansehen, aber nicht ändern.
- Ein **Vorschaulink** zeigt allen die Seite, wie sie gerade ist, mit Testdaten und ohne Konto. Sie legen fest, wann er endet, und können ihn jederzeit beenden.
- Der **QR-Code** öffnet ihn auf einem Telefon.

## Kommentare

Drücken Sie **Kommentieren** über der Vorschau, wählen Sie etwas auf der Seite aus und schreiben Sie. Alle im Projekt sehen den Kommentar sofort an seinem Element und können antworten.

- **Den Agenten bitten** schickt den Kommentar in den Chat, mit der Stelle, um die es geht. Ist der Agent fertig, markieren Sie ihn als **Erledigt**.
- **Link kopieren** im Menü eines Kommentars führt andere direkt zu ihm.
- Gibt es das Element auf der Seite nicht mehr, bleibt der Kommentar in der Liste.`},{id:"team",title:"Im Team arbeiten",about:"Leute einladen und zugleich am selben Projekt arbeiten.",words:"arbeitsbereich mitglied einladen rolle inhaber admin live zusammen folgen protokoll",text:`
Ein **Arbeitsbereich** enthält Projekte, Leute und KI-Anbieter. Sie haben einen persönlichen; weitere für Ihre Teams legen Sie oben links im Menü an.

- Admins laden Leute unter **Arbeitsbereich → Mitglieder** per E-Mail ein oder kopieren den Link und schicken ihn selbst.
- **Mitglieder** bauen. **Admins** verwalten auch Leute, Anbieter und Domains. **Inhaber** dürfen alles.
- Mehrere Leute können in derselben Datei schreiben. Sie sehen ihre Schreibmarken; ein Klick auf ein Gesicht folgt jemandem, {unfollow} beendet es.
- Das **Sicherheitsprotokoll** eines Arbeitsbereichs sagt, wer was getan hat.`},{id:"models",title:"Modelle und Kosten",about:"Welche KI antwortet und was sie kostet.",words:"anbieter api schlüssel openai anthropic ollama token preis grenze budget verbrauch demo",text:`
Der Agent braucht ein Sprachmodell. Ohne eines antwortet eine kleine Demo, die ein paar feste Beispiele baut.

- Ein Admin verbindet unter **Arbeitsbereich → KI-Anbieter** ein Modell: mit einem Schlüssel von OpenAI, Anthropic oder einem kompatiblen Dienst, oder mit Ollama auf dem eigenen Rechner. Ein Test zeigt, ob das Modell kann, was der Agent braucht.
- Das Modell für eine Nachricht wählen Sie unter dem Nachrichtenfeld.
- **Arbeitsbereich → Verbrauch** zeigt Token und Kosten nach Tag, Modell und Person. Admins können eine Grenze setzen; ist sie erreicht, hält der Agent an.

Große Modelle kosten mehr und machen weniger Fehler. Für kleine Änderungen genügt ein kleines.`},{id:"code",title:"Der Code",about:"Die Dateien selbst lesen und ändern.",words:"datei editor suchen ersetzen regex hochladen herunterladen zip typ typescript schnell öffnen",picture:{name:"code",alt:"Die Dateien eines Projekts, eine davon im Editor."},text:`
Sie müssen nicht, aber Sie können: Unter **Code** sind alle Dateien, in einem Editor, der von selbst speichert.

- {quickOpen} öffnet eine Datei nach einem Teil ihres Namens; die zuletzt geöffneten stehen oben.
- {search} durchsucht alle Dateien. **Ersetzen** zeigt vorher, was sich ändert, und wird eine einzige Version.
- In TypeScript und JavaScript ergänzt der Editor Namen, markiert Fehler beim Tippen ({nextProblem} führt zum nächsten) und sagt, was der Name unter dem Zeiger ist. {definition} führt dorthin, wo er definiert ist. {save} formatiert die Datei auch, wenn Sie das nicht unter dem Editor ausschalten; {format} formatiert sie jederzeit.
- **Typen prüfen** findet in allen Dateien Fehler, die der Bau nicht findet.
- Dateien von Ihrem Rechner laden Sie hoch, indem Sie sie auf die Liste ziehen.`},{id:"keyboard",title:"Tastatur",about:"Alles ist ohne Maus erreichbar.",words:"kürzel taste tasten befehl palette barrierefrei screenreader",text:`
- {shortcuts} zeigt die Tastenkürzel der Stelle, an der Sie sind.
- {palette} öffnet die Befehle: Tippen Sie, was Sie tun wollen, oder den Namen eines Projekts, Chats oder einer Datei.
- {pane1}, {pane2} und so weiter wechseln zwischen den Teilen eines Projekts; {toggleChat} zeigt oder verbirgt den Chat.
- Im Editor rückt Tab ein. Mit {stop} und dann Tab verlassen Sie ihn.`},{id:"privacy",title:"Datenschutz und Sicherheit",about:"Was wo gespeichert ist und wer es sieht.",words:"daten geheim passwort passkey 2fa sitzung token verschlüsselung löschen konto dsgvo",text:`
Atelier läuft auf dem Server, den jemand für Sie betreibt; Ihre Projekte und Daten sind dort und nirgends sonst.

- Was Sie dem Agenten schreiben und die Dateien, die er dafür liest, gehen an den Modellanbieter, den Ihr Arbeitsbereich gewählt hat. Mit einem Modell auf dem eigenen Server verlässt ihn nichts.
- Schlüssel sind verschlüsselt gespeichert und werden nie wieder angezeigt. Von Passwörtern gibt es nur Hashes.
- Vorschauseiten laufen unter eigenen Adressen, getrennt von Ihrem Konto.
- Unter [Einstellungen → Sicherheit](/settings/security) sehen Sie, wo Sie angemeldet sind, beenden Sitzungen, ändern Ihr Passwort, richten zum Anmelden einen Passkey (Fingerabdruck, Gesicht oder Displaysperre) oder Codes aus einer App ein, laden die Daten Ihres Kontos herunter und löschen das Konto.
- Gelöschte Projekte bleiben eine Weile im Papierkorb und werden dann endgültig entfernt.`}],n=[{id:"2026-11",title:"November 2026",text:`
- Der **Code-Editor** ergänzt Namen, zeigt Typen und Fehler beim Tippen, führt zu Definitionen ({definition}) und formatiert beim Speichern.
- **Suchen und Ersetzen** in allen Dateien, mit Vorschau, nach Pfaden und mit Rückgängig.
- **Tastenkürzel**: {shortcuts} zeigt die der Seite. Die Befehle ({palette}) haben Gruppen, zuletzt benutzte, Dateien, Chats und Modelle.
- Dieses **Handbuch**.
- **Daten**: Sammlungen, Einträge, Anmeldung für die Benutzer Ihrer App, Regeln in verständlichen Worten, gesicherte Stände, Protokolle und Funktionen.
- **Prüfungen**, die vor jedem Veröffentlichen in einem Browser laufen.
- **Aufgaben**, die zugleich an Kopien Ihres Projekts arbeiten.
- **Kommentare** auf der Seite, an einem Element, die der Agent auf Wunsch umsetzt.
- **Vorschaulinks** für alle, mit QR-Codes.
- **Versionen** mit Namen und Sternen, einem Blick auf alte und einem Vergleich von je zweien.
- **Veröffentlichte Seiten** haben Titel, Beschreibung, Bild und Passwort und zählen ihre Besuche.
- **Sitzungen**: Sehen Sie, wo Sie angemeldet sind, und melden Sie sich anderswo ab.
- **Befehle** (\`/\`) und Verweise (\`@\`) im Chat; eine frühere Nachricht ändern und noch einmal senden.`}];export{n as news,e as topics};
