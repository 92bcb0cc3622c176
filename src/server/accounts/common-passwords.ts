/**
 * At least eight characters, lower case, no accents; from public leak lists and Brazilian usage.
 * `password.ts` finds sequences and repetitions.
 */
const WORDS = `
password password1 password12 password123 password1234 password! password1! passw0rd passw0rd1 p@ssw0rd p@ssword
p@ssw0rd1 p@ssw0rd123 pass1234 pass12345 passwort passport password2 password3 password7 password11 password99 mypassword
letmein1 letmein123 welcome1 welcome12 welcome123 welcome! welcome1! iloveyou iloveyou1 iloveyou2 iloveyou123 iloveu123
sunshine sunshine1 princess princess1 football football1 baseball baseball1 basketball superman superman1 batman123
starwars starwars1 trustno1 whatever whatever1 computer computer1 internet samsung1 samsung123 michelle michelle1
jennifer jennifer1 jessica1 jordan23 michael1 charlie1 ashley123 butterfly chocolate chocolate1 corvette mercedes
maverick midnight mountain veronica victoria victoria1 william1 spiderman spiderman1 pokemon1 pokemon123 dragon123
monkey123 master123 shadow123 killer123 freedom1 freedom123 hello123 hello1234 helloworld admin123 admin1234 admin12345
admin@123 administrator administrador root1234 test1234 test12345 testing1 testing123 teste123 teste1234 teste12345
changeme changeme1 changeme123 default1 secret123 secret1234 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty1! qwerty123!
qwertyuiop1 qwertyqwerty 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 qazwsxedc qazwsx123 zaq12wsx zaq1xsw2
q1w2e3r4 q1w2e3r4t5 asdf1234 asdfg123 asdfasdf asdfqwer zxcvbnm1 zxcv1234 abcd1234 abc12345 abc123456 abcd12345 abc123abc
a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678 a1234567 a12345678 a123456789 123456aa 123456ab 12345678a 123456789a 1234567890a
12345abc 1234abcd 123abc123 123qwe123 123qweasd 123qweasdzxc qwe12345 qwe123456 qweasdzxc qweqweqwe 123456qwe 1234qwer
123456789q 12345qwert 11223344 1122334455 112233445566 11111111a 00000000a 147258369 147852369 159357159 159753159 741852963
789456123 963852741 987654321a 31415926 69696969 77777777a 88888888a 123123123a 123654789 1236547890 0123456789a 12344321
12341234a 123454321 13579246 24681012 10203040 1020304050 102030405060 01020304 0102030405 19051905 01011980 01011990
01012000 10101010a 12121212a 21122112 25802580 456789123 852456123 951753852
senha123 senha1234 senha12345 senha123456 senha@123 senha!123 senha123! senha2020 senha2021 senha2022 senha2023 senha2024
senha2025 senha2026 senhasenha senhaforte senhafraca senhadificil minhasenha minhasenha1 minhasenha123 novasenha novasenha1
novasenha123 suasenha suasenha123 senhapadrao senhanova senhanova1 senha0000 senha1111 123senha 1234senha 12345senha
123mudar mudar123 mudar1234 mudar@123 mudeisso trocar123 trocarsenha acesso123 acesso1234 acesso@123 entrar123 usuario1
usuario123 cliente123 empresa123 empresa1234 empresa@123 escritorio escritorio1 vendas123 vendas2024 vendas2025 vendas2026
financeiro financeiro1 comercial comercial1 recepcao recepcao1 contabil1 advocacia advogado1 marketing marketing1 suporte1
suporte123 sistema1 sistema123 campanha campanha1 campanha123 whatsapp whatsapp1 whatsapp123 whats123 zapzap123 recado123
brasil123 brasil1234 brasil10 brasil2014 brasil2022 brasil2024 brasil2025 brasil2026 brasil@123 brasileiro brasileira
saopaulo saopaulo1 saopaulo123 saopaulofc riodejaneiro belohorizonte curitiba1 salvador1 fortaleza recife123 portoalegre
flamengo flamengo1 flamengo10 flamengo123 flamengo1981 flamengo2019 mengao123 corinthians corinthians1 corinthians10
corinthians123 corinthians1910 timao1910 timao123 palmeiras palmeiras1 palmeiras123 palmeiras1914 verdao123 verdao1914 saopaulino
santosfc santos123 santos10 gremio123 gremio1903 gremista1 internacional colorado1 colorado1909 cruzeiro cruzeiro1 cruzeiro123
cruzeiro1921 atleticomg galodoido galo1908 fluminense fluminense1 fluzao123 botafogo botafogo1 botafogo123 vascodagama vasco123
vasco1898 vascaino1 bahia1931 libertadores neymar10 neymar11 neymar123 ronaldinho ronaldo9 ronaldo10 ronaldo123 pele1010 futebol1
futebol123 futebol10 familia1 familia123 minhafamilia minhavida minhavida1 meuamor1 meuamor123 meuamor2 amormeu1 teamo123 teamo1234
teamomuito teamoamor teamodemais euteamo1 euteamo123 amoreterno amordaminhavida eumeamo123 saudade1 saudades felicidade felicidade1
liberdade liberdade1 esperanca esperanca1 vitoria1 vitoria123 gratidao gratidao1 sucesso1 sucesso123 princesa princesa1 princesa123
princesinha bonequinha borboleta borboleta1 estrela1 estrela123 estrelinha cachorro cachorro1 cachorrinho gatinha1 gatinha123 gatinho1
passarinho chocolate123 morango1 morango123 melancia abacaxi1 brigadeiro coxinha1 jesus123 jesus1234 jesuscristo jesusteama
jesusteamo jesusesalvador jesus777 deusefiel deusefiel1 deusefiel123 deuseamor deusebom deusnocomando deus1234 deusdedeus fedeus123
soudejesus senhorjesus salmo23123 nossasenhora aparecida aparecida1 mariamaria maria123 maria1234 mariajose anacarolina
anapaula anapaula1 anabeatriz juliana1 juliana123 fernanda fernanda1 fernanda123 gabriela gabriela1 gabriela123 gabriel1 gabriel123
patricia patricia1 camila123 amanda123 bruna123 leticia1 leticia123 isabella isabela1 beatriz1 beatriz123 rafaela1 rafael123
eduardo1 eduardo123 fernando fernando1 rodrigo1 rodrigo123 ricardo1 ricardo123 gustavo1 gustavo123 guilherme guilherme1 leonardo
leonardo1 matheus1 matheus123 thiago123 lucas123 lucas1234 pedro123 pedro1234 joao1234 joaopedro joaovitor joaovictor carlos123
marcos123 marcelo1 marcelo123 alexandre alexandre1 henrique henrique1 vinicius vinicius1 roberto1 roberto123 antonio1 antonio123
francisco francisco1 cristina cristina1 adriana1 adriana123 vanessa1 vanessa123 daniela1 daniel123 mariana1 mariana123 larissa1
larissa123 bianca123 carolina carolina1 natalia1 natalia123 sabrina1 tatiane1 priscila priscila1 simone123 sandra123 claudia1
primavera paralelepipedo desenvolvimento administracao inconstitucional otorrinolaringologista segredo1 segredo123 seguranca
seguranca1 computador computador1 internet1 celular1 celular123 telefone telefone1 parabens1 aniversario trabalho trabalho1
mercado123 padaria1 farmacia1 clinica1 clinica123 escola123 professor professor1 professora motorista deliciosa gostosa1
abcdefgh1 abcdefg1 abcdef123 abcdef12 aeiou123 aeiouaeiou asdasd123 asd123456 zxc123456 qaz123456 xuxa1234 galinha1 capoeira
carnaval carnaval1 churrasco caipirinha copadomundo copa2014 copa2022 copa2026 hexacampeao pentacampeao selecao10 tricolor1 tricolor
`;

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/u));
