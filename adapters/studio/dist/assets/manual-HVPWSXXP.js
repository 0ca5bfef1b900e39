var e=[{id:"first-app",title:"Tu primera app",about:"De una idea a una página que funciona, en una frase.",words:"empezar comenzar nuevo proyecto crear plantilla importar primeros pasos",picture:{name:"workbench",alt:"Un proyecto: el chat a la izquierda y la página terminada a la derecha."},text:`
No hace falta saber programar. Di lo que quieres con tus palabras; el agente escribe la app y ves cómo crece.

1. Ve a [Proyectos](/dashboard) y describe tu app: qué hace, quién la usa y qué aspecto debe tener.
2. Pulsa **Crear**. El chat muestra lo que hace el agente, paso a paso. La página aparece al lado.
3. Prueba la página. No es una imagen: funciona. Haz clic en los botones, rellena formularios.
4. Di qué debe cambiar, una cosa cada vez: «Haz el título más grande», «Añade una página con el horario».

## Buenas primeras frases

- «Un sitio para mi panadería con horario, precios y cómo llegar.»
- «Un registro de hábitos donde marco cada día.»
- «Un cuestionario sobre capitales que cuenta las respuestas correctas.»

## Otras formas de empezar

Una plantilla te da una página terminada para cambiarla. «Compartir como plantilla…» en el menú de un proyecto crea una para todo el espacio de trabajo. Si tienes un proyecto en un archivo ZIP o en Git, impórtalo desde la página de proyectos.`},{id:"import",title:"Trae tu proyecto",about:"Continúa aquí lo que empezaste en Lovable, Bolt, v0, Firebase Studio, Replit u otro sitio.",words:"importar zip git github lovable bolt v0 firebase studio ai studio replit figma make base44 dyad vite create react app supabase mudar migrar exportar",text:`
1. Descarga los archivos del proyecto del otro servicio en un ZIP, o súbelos a un repositorio Git.
2. Ve a [Proyectos](/dashboard) y pulsa **Importar…**, o suelta el archivo ZIP en la página.
3. Lee qué hemos cambiado y qué falta todavía, y abre el proyecto. El agente puede hacer el resto: «Haz que esto funcione aquí».

La mayoría de los proyectos funciona enseguida. Si uno necesita sus propias herramientas, la vista previa dice por qué y tarda un minuto en instalar los paquetes. Se respetan los ajustes de \`vite.config\`, \`tsconfig.json\` y \`tailwind.config\`.

## Lovable

Conecta allí el proyecto con GitHub e importa el repositorio o su archivo ZIP. La página sigue usando Supabase si añades \`VITE_SUPABASE_URL\` y \`VITE_SUPABASE_PUBLISHABLE_KEY\` a las variables de entorno en **Publicar**. O trae también los datos, como se explica abajo.

## Bolt y dyad

Descarga el proyecto en un ZIP e impórtalo. Las variables del proyecto anterior van en las variables de entorno, en **Publicar**.

## v0

Descarga el archivo ZIP. El proyecto está hecho con Next.js y funciona con sus propias herramientas. Un sitio publicado se compone de archivos, así que el proyecto necesita \`output: 'export'\` en su \`next.config\`; pídeselo al agente.

## Firebase Studio y AI Studio

Descarga los archivos en un ZIP. Los proyectos con Next.js funcionan como los de v0. Una app de AI Studio funciona tal cual, pero cualquiera puede leer la clave de Gemini que use su página: pide al agente que pase la llamada a una función y guarda la clave como secreta.

## Replit

Descarga el archivo ZIP. Si el proyecto tiene un servidor, la vista previa también lo ejecuta, pero un sitio publicado solo tiene páginas: pide al agente que rehaga lo que las páginas necesitan como funciones y datos.

## Figma Make

Descarga el código e importa el archivo ZIP. Las importaciones con versión en el nombre (\`package@1.2.3\`) funcionan tal cual.

## Todo lo demás

Páginas sencillas, Vite, Create React App, Vue, Svelte, Astro y otros proyectos con \`package.json\` se importan igual. De un repositorio con varias apps, importa la carpeta de una.

## Tus datos

Las tablas de Supabase o de otra base de datos Postgres se convierten en colecciones en **Datos**, **Tablas de Supabase o Postgres…**: a partir de \`supabase/migrations\` del proyecto o de un archivo escrito por \`pg_dump --schema-only\`. Ves las colecciones con sus reglas antes de que se guarden, y lo que no se pudo trasladar.

Después exporta cada tabla como CSV o JSON e impórtala en su colección: primero las que otras necesitan.

Los ids que aquí no sirven, como los UUID, se sustituyen igual en todas las tablas, así que las relaciones se conservan. Si importas un archivo otra vez, sus registros se cambian y no se duplican. Si algo de un archivo está mal, lo ves todo de una vez y no se importa nada.`},{id:"agent",title:"Hablar con el agente",about:"Cómo pedir para obtener lo que quieres.",words:"chat mensaje pedir preguntar plan crear modo imagen archivo detener cola mencionar comando",text:`
El agente lee tu proyecto antes de cambiar nada, mira la página después y corrige lo que no funciona.

## Qué ayuda

- Di qué ves y qué quieres ver en su lugar: «El botón queda oculto detrás de la foto. Ponlo debajo.»
- Adjunta una imagen: un boceto, una captura o una foto. Pégala o suéltala en el campo del mensaje.
- Escribe \`@\` para nombrar un archivo y \`/\` para los comandos de tu espacio de trabajo.
- Elige un elemento de la página para hablar exactamente de él.

## Tres modos

- **Crear** cambia tu proyecto.
- **Planificar** piensa primero y te muestra los pasos. Nada cambia hasta que estés de acuerdo.
- **Preguntar** solo responde preguntas.

## Mientras trabaja

Puedes seguir escribiendo; tus mensajes esperan su turno. {stop} o el botón cuadrado lo detiene; lo que ha hecho hasta entonces se conserva. Puedes editar un mensaje anterior y enviarlo otra vez, y recuperar los archivos como estaban entonces.`},{id:"editing",title:"Editar en la página",about:"Cambia palabras, colores y espacios haciendo clic en ellos.",words:"visual editar clic texto color fuente tamaño imagen estilo deshacer diseño",picture:{name:"visual-edit",alt:"Hay un título seleccionado en la página; el panel de al lado cambia su texto y su tipografía."},text:`
Para los cambios pequeños no necesitas al agente. Pulsa **Editar** encima de la vista previa y haz clic en lo que quieras cambiar.

- Cambia el texto, su tamaño, grosor y color, el espacio que lo rodea, las esquinas o una imagen.
- Ves el cambio al momento y se guarda solo.
- {undo} deshace, {redo} rehace.
- {toParent} selecciona el elemento superior, {toChild} el primer hijo.
- {leaveEditing} termina la edición. Lo que cambiaste se convierte en una versión.

Si un texto viene de una lista o de un cálculo en el código, el panel muestra dónde está. O pídeselo al agente: el campo para hacerlo está en el mismo panel.`},{id:"versions",title:"Versiones y deshacer",about:"No se pierde nada: vuelve a cualquier estado anterior.",words:"historial deshacer restaurar volver guardar git comparar estrella nombre",text:`
Cada cambio se convierte en una versión: los del agente, los tuyos en la página y los del código. Abre **Versiones** en un proyecto para verlas.

- Puedes ver un estado antiguo sin restaurarlo.
- **Deshacer** quita un cambio y conserva todo lo que vino después.
- **Restaurar** devuelve todo el proyecto a una versión. Eso también es una versión nueva, así que puedes volver atrás.
- **Última versión que funciona**, que aparece cuando una página falla o ya no se puede construir, busca la versión más reciente que funciona y ofrece restaurarla.
- Pon nombre o una estrella a una versión para encontrarla después, y compara dos cualesquiera.

Tus archivos son un repositorio Git. Su dirección está en **Versiones**, por si quieres trabajar con tus propias herramientas.`},{id:"publishing",title:"Publicar y dominios",about:"Pon tu app en la web, con tu propio nombre.",words:"publicar desplegar sitio url dirección dominio dns cname contraseña visitas seo título",text:`
1. Pulsa **Publicar** en un proyecto y elige una dirección.
2. Tu app se compila, se prueba y queda disponible para todo el mundo. Los cambios posteriores no se ven hasta que publiques otra vez.

## Tu propio dominio

Añade el dominio en **Publicar**. Recibirás unos registros que debes poner donde compraste el dominio. Los comprobamos automáticamente; puede tardar hasta una hora. El certificado HTTPS también es automático.

## Cómo se presenta el sitio

El título, la descripción, la imagen de los enlaces compartidos, el idioma y la página para direcciones incorrectas están en los ajustes del sitio. Allí también eliges quién puede abrirlo: todo el mundo, personas con una contraseña o tu espacio de trabajo.

## Si algo salió mal

Cada publicación aparece en la lista como un despliegue. Puedes ver uno anterior y volver a él en un segundo. También puedes retirar el sitio de la web; el proyecto se conserva.`},{id:"data",title:"Datos y usuarios",about:"Deja que tu app recuerde cosas y que la gente inicie sesión en ella.",words:"base de datos backend registros colección tabla formulario inicio de sesión cuenta usuarios reglas exportar",picture:{name:"data",alt:"Las entradas de un libro de visitas en una tabla."},text:`
Pide al agente algo que la app deba recordar («Guarda los pedidos», «Que la gente pueda iniciar sesión») y preparará los datos de tu proyecto. Abre **Datos** para verlos como tablas.

- Cada tipo de cosa es una **colección**; cada entrada, un **registro**.
- Los **datos de prueba** pertenecen a la vista previa: juega con ellos cuanto quieras. Los **datos reales** pertenecen al sitio publicado y tienen su propio color. Nunca se mezclan.
- Las **reglas** dicen quién puede leer y escribir qué, con palabras sencillas.
- Quienes inician sesión en tu app están en la colección de usuarios. No son miembros de tu espacio de trabajo.
- Puedes importar y exportar tablas en CSV y guardar copias a las que volver.

Si un cambio en las colecciones fuera a perder datos, ves cuáles antes de que ocurra.`},{id:"functions",title:"Funciones",about:"Código que se ejecuta en el servidor: secretos, correo, otros servicios.",words:"servidor api secreto clave correo entorno variable función programar registro",text:`
Algunas cosas no deben ocurrir en el navegador, donde cualquiera podría leerlas: una clave secreta, un pago, un correo a tus clientes. Para ellas, el agente escribe **funciones**, que se ejecutan en el servidor.

- Pide lo que necesitas: «Envíame un correo por cada pedido.» El agente escribe la función y la página que la llama.
- Las claves de otros servicios van en las **variables de entorno** de **Publicar**, marcadas como secretas. No las pegues nunca en el chat.
- Los **registros** del panel de datos muestran qué se llamó, cuánto tardó y qué falló.`},{id:"checks",title:"Pruebas",about:"Pasos que se ejecutan solos antes de publicar.",words:"prueba comprobar automático calidad publicar roto",text:`
Una prueba es una pequeña historia sobre tu app: «Abre la página, añade una tarea, mírala en la lista.» Un navegador la ejecuta como lo haría una persona.

- Pide al agente que escriba pruebas o acepta las que proponga.
- Se ejecutan antes de cada publicación. Si una falla, ves en qué paso, con una imagen, y tu sitio queda como está.
- Puedes pasar el problema al agente para que lo arregle.`},{id:"tasks",title:"Tareas",about:"Haz varias cosas a la vez, cada una en su propia copia.",words:"paralelo tablero copia rama fusionar segundo plano",text:`
Una tarea trabaja en una copia de tu proyecto. Puedes encargar varias a la vez y seguir trabajando mientras tanto.

1. Abre **Tareas** en el proyecto y describe qué hay que hacer.
2. Cuando una tarea termine, mira su página y sus cambios.
3. **Fusionar** los lleva a tu proyecto; **Descartar** los elimina.

Si dos tareas cambiaron las mismas líneas, se te pregunta qué texto queda.`},{id:"sharing",title:"Compartir",about:"Enseña tu trabajo a otras personas, con o sin cuenta.",words:"compartir enlace vista previa qr teléfono público privado visibilidad comentario opinión",text:`
**Compartir** está junto al nombre del proyecto.

- **Privado**: tú y los administradores del espacio de trabajo. **Espacio de trabajo**: todos sus miembros. **Público**: todas las personas con una cuenta aquí pueden verlo, pero solo los miembros pueden cambiarlo.
- Un **enlace a la vista previa** muestra a cualquiera la página tal como está, con datos de prueba y sin cuenta. Tú eliges cuándo caduca y puedes revocarlo en cualquier momento.
- El **código QR** lo abre en un teléfono.

## Comentarios

Pulsa **Comentar** encima de la vista previa, elige algo en la página y escribe. Todo el proyecto ve el comentario al momento, junto a su elemento, y puede responder.

- **Pedir al agente** envía el comentario al chat, con el lugar del que trata. Cuando el agente termine, pulsa **Resolver**.
- **Copiar enlace**, en el menú de un comentario, lleva a los demás directamente a él.
- Si el elemento ya no está en la página, el comentario sigue en la lista.`},{id:"team",title:"Trabajar en equipo",about:"Invita a otras personas y trabajad en el mismo proyecto a la vez.",words:"espacio de trabajo miembro invitar rol propietario administrador juntos seguir auditoría",text:`
Un **espacio de trabajo** contiene proyectos, personas y proveedores de IA. Tienes uno personal; crea otros para tus equipos en el menú de arriba a la izquierda.

- Los administradores invitan por correo en **Espacio de trabajo → Miembros**, o copian el enlace y lo envían ellos.
- Los **miembros** crean. Los **administradores** también gestionan personas, proveedores y dominios. Los **propietarios** pueden hacerlo todo.
- Varias personas pueden escribir en el mismo archivo. Ves sus cursores; haz clic en una cara para seguir a alguien y pulsa {unfollow} para dejar de hacerlo.
- El **registro de seguridad** de un espacio de trabajo dice quién hizo qué.`},{id:"models",title:"Modelos y costes",about:"Qué IA responde y cuánto cuesta.",words:"proveedor clave api openai anthropic ollama token precio límite presupuesto uso demo",text:`
El agente necesita un modelo de lenguaje. Sin él, responde una pequeña demo que crea unos pocos ejemplos fijos.

- Un administrador conecta un modelo en **Espacio de trabajo → Proveedores de IA**: pega una clave de OpenAI, Anthropic o un servicio compatible, o usa un modelo en tu propio equipo con Ollama. Una prueba muestra si el modelo puede hacer lo que el agente necesita.
- Eliges el modelo de cada mensaje debajo del campo del mensaje.
- **Espacio de trabajo → Uso** muestra tokens y costes por día, modelo y persona. Los administradores pueden fijar un límite; el agente se detiene cuando se alcanza.

Los modelos grandes cuestan más y cometen menos errores. Para cambios pequeños basta uno pequeño.`},{id:"code",title:"El código",about:"Lee y cambia los archivos directamente.",words:"archivo editor buscar reemplazar regex subir descargar zip tipo typescript abrir",picture:{name:"code",alt:"Los archivos de un proyecto, con uno de ellos en el editor."},text:`
No es necesario, pero puedes hacerlo: **Código** tiene todos los archivos, en un editor que guarda solo.

- {quickOpen} abre un archivo por una parte de su nombre; los últimos que abriste aparecen primero.
- {search} busca en todos los archivos. **Reemplazar** muestra qué cambiaría antes de cambiar nada, y queda como una sola versión.
- En TypeScript y JavaScript, el editor completa nombres, marca los errores mientras escribes ({nextProblem} va al siguiente) y dice qué es el nombre bajo el puntero. {definition} va a donde está definido. {save} también da formato al archivo, salvo que lo desactives debajo del editor; {format} le da formato en cualquier momento.
- **Comprobar tipos** encuentra en todos los archivos errores que la compilación no encuentra.
- Suelta archivos de tu equipo en la lista para subirlos.`},{id:"keyboard",title:"Teclado",about:"Se puede llegar a todo sin ratón.",words:"atajo tecla teclas comando paleta accesibilidad lector de pantalla",text:`
- {shortcuts} muestra los atajos del lugar donde estás.
- {palette} abre los comandos: escribe qué quieres hacer o el nombre de un proyecto, chat o archivo.
- {pane1}, {pane2} y así sucesivamente cambian entre las partes de un proyecto; {toggleChat} muestra u oculta el chat.
- En el editor, Tab sangra la línea. Pulsa {stop} y después Tab para salir.`},{id:"privacy",title:"Privacidad y seguridad",about:"Qué se guarda, dónde, y quién puede verlo.",words:"datos secreto contraseña passkey llave 2fa sesión token cifrado eliminar cuenta rgpd",text:`
Atelier funciona en el servidor de quien lo gestiona para ti; tus proyectos y datos están allí y en ningún otro sitio.

- Lo que escribes al agente, y los archivos que lee para ello, van al proveedor del modelo que usa tu espacio de trabajo. Con un modelo en tu propio servidor, nada sale de él.
- Las claves se guardan cifradas y no vuelven a mostrarse. De las contraseñas solo se guardan hashes.
- Las vistas previas funcionan en direcciones propias, separadas de tu cuenta.
- En [Ajustes → Seguridad](/settings/security) ves dónde tienes la sesión iniciada, puedes cerrar sesiones, cambiar tu contraseña, añadir al inicio de sesión una llave de acceso (huella, cara o bloqueo de pantalla) o los códigos de una aplicación, descargar los datos de tu cuenta y eliminarla.
- Los proyectos eliminados pasan un tiempo en la papelera y después se borran definitivamente.`}],a=[{id:"2026-11",title:"Noviembre de 2026",text:`
- El **editor de código** completa nombres, muestra tipos y errores mientras escribes, lleva a las definiciones ({definition}) y da formato al guardar.
- **Buscar y reemplazar** en todos los archivos, con vista previa, por rutas y con deshacer.
- **Atajos**: pulsa {shortcuts} para ver los de la página. Los comandos ({palette}) tienen grupos, recientes, archivos, chats y modelos.
- Este **manual**.
- **Datos**: colecciones, registros, inicio de sesión para los usuarios de tu app, reglas con palabras sencillas, copias, registros de actividad y funciones.
- **Pruebas** que se ejecutan en un navegador antes de cada publicación.
- **Tareas** que trabajan a la vez en copias de tu proyecto.
- **Comentarios** en la página, junto a un elemento, que puedes pedir al agente.
- **Enlaces a la vista previa** para cualquiera, con códigos QR.
- **Versiones** con nombres y estrellas, una mirada a las antiguas y una comparación de dos cualesquiera.
- Los **sitios** tienen título, descripción, imagen y contraseña, y cuentan sus visitas.
- **Sesiones**: mira dónde tienes la sesión iniciada y ciérrala en otros sitios.
- **Comandos** (\`/\`) y referencias (\`@\`) en el chat; edita un mensaje anterior y envíalo otra vez.`}];export{a as news,e as topics};
